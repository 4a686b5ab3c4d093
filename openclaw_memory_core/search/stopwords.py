"""Words that carry a question, not its subject: articles, pronouns, auxiliaries, prepositions, question words.

The lists are our own and short on purpose: a word too many in a question costs little, a word too few may cost the
answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openclaw_memory_core.search.words import fold

_ENGLISH = """
a an the and or but nor if then than so as of to in on at by for with from into onto about during before after again
further is are was were be been being am do does did doing done have has had having i you he she it we they me him her
us them my mine your yours his hers its our ours their theirs this that these those there here what which who whom
whose when where why how will would shall should can could may might must not no yes any some such only own same too
very just also more most other each both all few ever never now s t d ll m re ve don doesn didn isn wasn aren weren
won wouldn shouldn couldn hasn haven hadn can't don't doesn't didn't isn't wasn't aren't weren't won't wouldn't
shouldn't couldn't hasn't haven't hadn't i'm i've i'd i'll we're we've we'd we'll you're you've you'd you'll he's
she's it's they're they've that's there's what's who's where's when's how's let's please get got getting
"""

_GERMAN = """
der die das den dem des ein eine einer eines einem einen und oder aber denn doch wenn als ob dass daß weil von vom zu
zum zur im in an am auf aus bei beim mit nach vor für über unter zwischen durch gegen ohne um bis seit ist sind war
waren wird werden wurde wurden worden bin bist sein gewesen habe hast hat haben hatte hatten ich du er sie es wir ihr
mich dich ihn uns euch mir dir ihm ihnen mein meine meiner meinem meinen dein deine unser unsere euer eure sich man
dies diese dieser dieses diesem diesen jener jene was wer wen wem wessen welche welcher welches wann wo woher wohin
warum wieso weshalb wie nicht kein keine keiner nur auch noch schon sehr mehr so da hier dort nun jetzt mal kann kannst
können konnte soll sollen sollte muss müssen musste will wollen wollte darf dürfen mag bitte
"""

_SPANISH = """
el la los las lo un una unos unas y e o u pero si no que de del a al en con por para sin sobre entre desde hasta hacia
como es son era eran fue fueron ser sido está están estaba estaban estoy estar ha han he hemos había haber hay yo tú él
ella nosotros ellos ellas me te se nos os le les mi mis tu tus su sus nuestro nuestra este esta estos estas ese esa esos
esas esto eso aquel aquella qué quién quiénes cuál cuáles cuándo cuanto cuánto cuánta dónde por qué cómo muy más menos
también ya sólo solo
"""

_FRENCH = """
le la les l un une des du de d et ou mais si ne pas que qu qui quoi dont où à au aux en dans sur sous avec sans pour par
entre vers chez est sont était étaient être été suis es sommes êtes ai as a avons avez ont avait avaient avoir je j tu
il elle on nous vous ils elles me m te t se s lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos ce
cet cette ces c cela ça quel quelle quels quelles quand comment pourquoi combien est-ce y très plus moins aussi déjà
"""

_ITALIAN = """
il lo la i gli le l un uno una e ed o ma se che di del dello della dei degli delle a al allo alla ai agli alle da dal
dalla dai in nel nella nei nelle con su sul sulla per tra fra è sono era erano essere stato stata stati ho hai ha
abbiamo avete hanno aveva avere io tu lui lei noi voi loro mi ti si ci vi mio mia miei tuo tua suo sua nostro nostra
questo questa questi queste quello quella quale quali chi cosa quando dove come perché quanto quanti non più anche già
"""

_PORTUGUESE = """
o a os as um uma uns umas e ou mas se não que de do da dos das em no na nos nas por pelo pela para com sem sobre entre
até desde é são era eram foi foram ser sido está estão estava estar tem têm tinha ter há eu tu você ele ela nós vocês
eles elas me te lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa este esta estes estas esse essa
isso isto aquele aquela qual quais quem quando onde como porque quanto quantos quantas mais menos também já muito ao
"""

_DUTCH = """
de het een en of maar als dat die dit deze van voor naar met op in aan bij uit over onder tussen door tegen zonder om
tot sinds is zijn was waren wordt worden werd werden ben bent geweest heb hebt heeft hebben had hadden ik jij je u hij
zij ze wij we jullie mij me jou hem haar ons hen hun mijn jouw onze wat wie welke wanneer waar waarom hoe hoeveel niet
geen ook nog al zeer meer er hier daar nu kan kunnen kon moet moeten zal zullen zou wil willen
"""

_LANGUAGES: tuple[frozenset[str], ...] = tuple(
    frozenset(fold(words).split()) for words in (_ENGLISH, _GERMAN, _SPANISH, _FRENCH, _ITALIAN, _PORTUGUESE, _DUTCH)
)

ALL = frozenset().union(*_LANGUAGES)
"""The function words of every language."""


def stop_words(words: Sequence[str]) -> frozenset[str]:
    """The function words of the language that a question (in folded words) is in.

    That is the language with most of its function words in the question, so that ``die`` and ``war`` stay in an
    English question.  Of languages that fit equally well all count.
    """
    counts = [sum(word in language for word in words) for language in _LANGUAGES]
    most = max(counts)
    if most == 0:
        return frozenset()
    return frozenset().union(*(language for language, n in zip(_LANGUAGES, counts, strict=True) if n == most))


FILLERS = re.compile(
    # Chinese question words and politeness; single characters only where they are not part of a word.
    "什么时候|为什么|怎么样|什么|哪里|哪个|哪些|哪儿|怎么|怎样|如何|多少|几个|是否|我们|你们|他们|她们|它们|这个|那个|这些|那些|这里|那里"
    "|一下|可以|请问|告诉|关于|以及|或者|因为|所以|但是|如果|吗|呢|吧|啊|(?<!目)的(?![确士话])"
    # Japanese question words, with the particle before them, and endings; particles alone only between words that are
    # not written in hiragana.
    "|[はがをにでとも]?(?:どのように|どうして|いつから|どこで|どこに|いつ|どこ|だれ|なに|なぜ|いくつ|いくら)"
    "|でしょうか|ましたか|ですか|ますか|でした|ました|について|ください|です|ます|には|では|とは"
    "|(?<![ぁ-ん])[はがをにでともへやの](?![ぁ-ん])"
)
"""Function words inside runs of Chinese and Japanese; what stands between them is looked for."""

HAPPENING = frozenset(
    fold(
        """
        happen happens happened happening went going on up news note notes log logs entry entries diary day date
        anything something everything made write written wrote show list tell about all new
        passiert passierte geschah geschehen los gemacht getan gab gibt neues notiz notizen eintrag eintrage alles etwas
        zeig zeige liste tag abend morgen nachmittag morning afternoon evening night
        paso pasado hice hicimos hecho notas nota dia fait faite passe arrive notes jour
        """
    ).split()
)
"""Words of a question about a time that ask for nothing but what is noted there."""

HAPPENED = re.compile(
    "(?:发生|做|干|了|过|事|情|有|我|的|在|笔记|日记|何|した|しました|あった|あり|こと|出来事|起き|起こった|起こ|私|メモ|日記|た)+"
)
"""The same in Chinese and Japanese."""
