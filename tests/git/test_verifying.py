"""A candidate is verified from raw objects: every fact that does not hold is a sentence."""

import zlib
from pathlib import Path

import pytest

from kernel.values.work import CandidateFacts
from tests.git.building import CANDIDATE, MAIN, Bench, plain_git, store_blob

REF = f"refs/odeu/candidates/{CANDIDATE}"


def _forged(bench: Bench, facts: CandidateFacts, raw: str) -> CandidateFacts:
    """Store other commit bytes, let the retained ref hold them, and claim them."""
    git_dir = bench.place.path
    commit = plain_git(
        git_dir, "hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw.encode()
    )
    plain_git(git_dir, "update-ref", REF, commit)
    return facts.model_copy(update={"commit": commit})


def _raw(bench: Bench, facts: CandidateFacts) -> str:
    return plain_git(bench.place.path, "cat-file", "commit", facts.commit) + "\n"


def test_a_sealed_candidate_verifies_also_after_packing(bench: Bench) -> None:
    """Loose or packed, the same objects verify."""
    facts = bench.sealed()
    before = bench.git.verify_candidate(bench.place, facts)
    plain_git(bench.place.path, "gc", "--quiet", "--prune=now")
    assert (before, bench.git.verify_candidate(bench.place, facts)) == ((), ())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"repository_id": "other"}, "is of repository 'other'"),
        ({"object_format": "sha256"}, "object format sha256"),
        ({"ref": MAIN}, "is not the one of"),
        ({"target_ref": "refs/heads/other"}, "is not a target"),
        ({"manifest": ()}, "0 entries"),
        ({"manifest_digest": "sha256:" + "0" * 64}, "does not have the digest"),
        ({"patch_digest": "sha256:" + "0" * 64}, "stated digest and length"),
        ({"patch_bytes": 1}, "stated digest and length"),
        ({"tree": "1" * 40}, "not those stated"),
        ({"base_tree": "1" * 40}, "does not have the tree"),
        ({"base_commit": "1" * 40}, "does not directly hold"),
        ({"commit": "1" * 40}, "does not directly hold"),
        ({"candidate_id": "../x"}, "is not a candidate id"),
    ],
)
def test_a_fact_that_does_not_hold_is_told(bench: Bench, change: dict[str, object], words: str) -> None:
    """Each stated fact is compared with what the objects say."""
    facts = bench.sealed().model_copy(update=change)
    problems = bench.git.verify_candidate(bench.place, facts)
    assert [words in problem for problem in problems[:1]] == [True]


def test_a_forged_manifest_with_its_own_digest_is_told(bench: Bench) -> None:
    """A manifest that is consistent in itself but not the difference of the trees is found."""
    from adapters.git.manifests import manifest_digest

    facts = bench.sealed()
    entry = facts.manifest[0].model_copy(update={"new_mode": "100755"})
    forged = facts.model_copy(update={"manifest": (entry,), "manifest_digest": manifest_digest((entry,))})
    assert bench.git.verify_candidate(bench.place, forged) == (
        "the manifest is not the difference between the base tree and the candidate's tree",
    )


def test_another_lineage_or_form_of_commit_is_told(bench: Bench) -> None:
    """A second parent, another author, an extra header, a longer message: not a sealed candidate."""
    facts = bench.sealed()
    raw = _raw(bench, facts)
    parent = f"parent {bench.base}\n"
    forms = (
        raw.replace(parent, parent + parent),
        raw.replace(parent, ""),
        raw.replace("author ODEU", "author Odd"),
        raw.replace("\n\nSeal", "\nencoding UTF-8\n\nSeal"),
        raw + "More.\n",
    )
    for form in forms:
        forged = _forged(bench, facts, form)
        assert bench.git.verify_candidate(bench.place, forged) == (
            f"the commit {forged.commit} does not have the form of a sealed candidate",
        )


def test_a_retained_ref_that_moved_went_or_became_symbolic_is_told(bench: Bench) -> None:
    """The ref must directly hold the commit."""
    facts = bench.sealed()
    git_dir = bench.place.path
    stated = f"the ref {REF!r} does not directly hold the commit {facts.commit}: found "
    plain_git(git_dir, "update-ref", "refs/heads/side", facts.commit)
    found = []
    for arguments in (
        ("update-ref", REF, bench.base),
        ("symbolic-ref", REF, "refs/heads/side"),
        ("symbolic-ref", "--delete", REF),
    ):
        plain_git(git_dir, *arguments)
        found.append(bench.git.verify_candidate(bench.place, facts))
    assert found == [
        (f"{stated}{REF} commit {bench.base} ",),
        (f"{stated}{REF} commit {facts.commit} refs/heads/side",),
        (f"{stated}nothing",),
    ]


def test_a_target_that_moved_is_told_only_when_it_matters(bench: Bench) -> None:
    """Before a promotion the target must hold the base; afterwards it holds the candidate."""
    facts = bench.sealed()
    plain_git(bench.place.path, "update-ref", MAIN, facts.commit)
    assert bench.git.verify_candidate(bench.place, facts) == (
        f"the ref {MAIN!r} does not directly hold the commit {bench.base}: found {MAIN} commit {facts.commit} ",
    )
    assert bench.git.verify_candidate(bench.place, facts, expect_target_base=False) == ()


def test_a_blob_with_other_bytes_or_none_is_told(bench: Bench) -> None:
    """An object whose bytes are not those of its id, or that is gone, fails the candidate."""
    facts = bench.sealed()
    blob = store_blob(bench.place.path, b"print('two')\n")
    file = Path(bench.place.path, "objects", blob[:2], blob[2:])
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b"blob 13\x00print('bad')\n"))
    broken = bench.git.verify_candidate(bench.place, facts)
    file.unlink()
    gone = bench.git.verify_candidate(bench.place, facts)
    assert (len(broken), blob in broken[0]) == (1, True)
    assert gone == (f"the object {blob} is not in the repository",)


def test_a_place_with_problems_verifies_nothing(bench: Bench) -> None:
    """Grafts added after sealing make the repository unusable, and that is the answer."""
    facts = bench.sealed()
    Path(bench.place.path, "info/grafts").write_text(f"{facts.commit}\n")
    assert bench.git.verify_candidate(bench.place, facts) == (
        "the repository 'sample' has grafts, which rewrite history",
    )
