import pytest

from benchpin.repository.manifests import PackageManifest, read_manifest


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("git+https://oauth2:hunter2@github.com/a/b.git", "git+https://github.com/a/b.git"),
        ("git+https://hunter2@github.com/a/b.git", "git+https://github.com/a/b.git"),
        ("https://ada:p@ss@acme.io/b.tgz", "https://acme.io/b.tgz"),
        ("git+ssh://git@github.com/a/b.git", "git+ssh://git@github.com/a/b.git"),
        ("^1.0", "^1.0"),
    ],
)
def test_a_version_is_shown_without_user_and_password(written: str, shown: str) -> None:
    found = read_manifest("package.json", f'{{"dependencies": {{"b": "{written}"}}}}'.encode())
    assert isinstance(found, PackageManifest)
    assert [it.version for it in found.dependencies] == [shown]


def test_a_script_is_shown_without_its_keys() -> None:
    token = "ghp_" + "aB3dE6gH1jK4mN7pQ0rS2tU5vW8xY9zCaB3d"
    found = read_manifest("package.json", f'{{"scripts": {{"x": "push {token}"}}}}'.encode())
    assert isinstance(found, PackageManifest)
    assert [it.runs for it in found.commands] == ["push [REDACTED]"]
