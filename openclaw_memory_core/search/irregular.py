"""English verbs whose forms no stemmer joins: a question asks what was *bought*, the note says *buy*."""

from __future__ import annotations

_VERBS = """
beat beaten, become became, begin began begun, bend bent, bite bit bitten, blow blew blown,
break broke broken, bring brought, build built, burn burnt, buy bought, catch caught, choose chose chosen, come came,
creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten,
fall fell fallen, feed fed, feel felt, fight fought, find found, fly flew flown, forget forgot forgotten,
forgive forgave forgiven, freeze froze frozen, give gave given, go went gone, grow grew grown, hang hung, hear heard,
hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid, lead led, lean leant, learn learnt,
leave left, lend lent, lose lost, make made, mean meant, meet met, pay paid, ride rode ridden, rise rose risen,
run ran, say said, see saw seen, seek sought, sell sold, send sent, sew sewn, shake shook shaken,
shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept,
slide slid, smell smelt, speak spoke spoken, spell spelt, spend spent, spill spilt, stand stood, steal stole stolen,
stick stuck, sting stung, strike struck, swear swore sworn, sweep swept, swim swam swum, swing swung, take took taken,
teach taught, tear tore torn, tell told, think thought, throw threw thrown, understand understood, wake woke woken,
wear wore worn, weave wove woven, weep wept, win won, write wrote written
"""

_FORMS = {form: tuple(verb.split()) for verb in _VERBS.split(",") for form in verb.split()}


def forms(word: str) -> tuple[str, ...]:
    """All forms of a verb by one of them (folded), the given one first; the word alone if it is none."""
    found = _FORMS.get(word, ())
    return (word, *(form for form in found if form != word))
