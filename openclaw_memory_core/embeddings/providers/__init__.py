"""One module a provider, each with a ``create(settings)`` that neither imports anything heavy nor makes a request."""
