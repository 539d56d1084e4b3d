"""Ranking: the files that evidence of several kinds speaks for, best first."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from web.library.search.backends.base import SearchBackend
from web.library.search.evidence import PART_OF_PATH, RankedFile
from web.library.search.plan import BRIEF, Plan, plan_for
from web.library.search.pool import Pool
from web.library.search.priors import code_prior, document_prior
from web.library.search.query import TOGETHER, Query, without_phrases
from web.library.search.scope import Scope

NO_SUCH_PHRASE = "the quoted words stand together nowhere, so each was searched for"


@dataclass(frozen=True, slots=True)
class Ranking:
    """Files, best first; `is_exhaustive` says that there are no more. `plan` weighs the words.

    `notes` say what was given up to find something.
    """

    files: tuple[RankedFile, ...]
    is_exhaustive: bool
    plan: Plan
    notes: tuple[str, ...] = ()

    def interpretation(self, query: Query) -> str:
        """Say how the query was read in the end: not by what was given up."""
        read = [note for note in query.interpretation if not (self.notes and note == TOGETHER)]
        return "; ".join([*read, *self.notes])


def ranked_code(
    query: Query, here: Scope, documents: Scope, *, backend: SearchBackend, generation: int
) -> Ranking:
    """Return the files of code that fit a query."""
    return _ranked(query, here, documents, prior=code_prior, backend=backend, generation=generation)


def ranked_documents(
    query: Query, here: Scope, code: Scope, *, backend: SearchBackend, generation: int
) -> Ranking:
    """Return the documents that fit a query."""
    return _ranked(query, here, code, prior=document_prior, backend=backend, generation=generation)


def _ranked(
    query: Query,
    here: Scope,
    there: Scope,
    *,
    prior: Callable[[str, frozenset[str]], float],
    backend: SearchBackend,
    generation: int,
) -> Ranking:
    plan = plan_for(query, here, backend=backend, generation=generation)
    pool = Pool(query, here, prior)
    if query.file:
        pool.add_paths(query.file, PART_OF_PATH)
    if not here.is_document:
        pool.add_names(backend)
    texts = pool.add_texts(plan, backend)
    if query.phrases:
        pool.keep_only(texts.files)
    if not query.is_name:
        plan_there = plan_for(query, there, backend=backend, generation=generation, effort=BRIEF)
        pool.add_mentions(plan_there, there, backend)
    files = pool.in_order()
    if query.phrases and not files:
        found = _ranked(
            without_phrases(query),
            here,
            there,
            prior=prior,
            backend=backend,
            generation=generation,
        )
        return replace(found, notes=(*found.notes, NO_SUCH_PHRASE))
    return Ranking(files, texts.is_exhaustive, plan)
