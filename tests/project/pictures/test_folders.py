from benchpin.project.pictures import FileState, color_rows, describe_folders, tree_rows, treemap


def state(file: str, lines: int = 10, **more: object) -> FileState:
    known: dict[str, object] = {
        "functions": 1,
        "complexity": 2,
        "health": 60,
        "commits": 1,
        "owner": "Ann",
        "age_days": 3,
        "defects": 0.5,
        "reason": "",
        "coverage": None,
    }
    return FileState(file=file, lines=lines, **{**known, **more})  # type: ignore[arg-type]  # by name


def test_folders_are_opened_with_their_files_and_lone_folders_are_joined() -> None:
    rows = tree_rows([state("src/main/a.py"), state("src/main/b.py", 30), state("t/c.py")])
    assert [(it["id"], it["parent"], it["name"]) for it in rows] == [
        (".", None, "all"),
        ("src/main", ".", "src/main"),
        ("src/main/b.py", "src/main", "b.py"),
        ("src/main/a.py", "src/main", "a.py"),
        ("t", ".", "t"),
        ("t/c.py", "t", "c.py"),
    ]
    assert rows[1]["total"] == 40


def test_a_tree_is_bounded_and_no_line_is_lost() -> None:
    files = [state(f"d{n % 70}/s{n % 7}/f{n}.py", n % 90 + 1) for n in range(4_000)]
    files += [state(f"top{n}.py", 5) for n in range(2_000)]
    rows = tree_rows(files, most=300)
    cells = [it for it in rows if not it.get("is_open")]
    assert len(cells) <= 300 + 1
    assert sum(int(str(it["lines"])) for it in cells) == sum(it.lines for it in files)
    assert {it["parent"] for it in rows[1:]} <= {it["id"] for it in rows if it.get("is_open")}
    assert describe_folders(rows).startswith("6,000 files with")


def test_a_closed_folder_has_the_worst_risk_and_the_mean_health_of_its_files() -> None:
    small = [state("d/a.py", 1, health=0, defects=0.1), state("d/b.py", 3, health=80, defects=0.9)]
    rows = tree_rows([state("big.py", 10_000), *small])
    [closed] = [it for it in rows if it.get("files")]
    assert (closed["name"], closed["files"], closed["health"]) == ("d/", 2, 60)
    assert (closed["defects"], closed["owner"]) == (0.9, "Ann")


def test_only_measures_that_some_file_has_can_be_chosen_and_what_lacks_is_grey() -> None:
    rows = tree_rows([state("a.py", owner=None), state("b.py", owner="Bob", health=None)])
    colored, colors = color_rows(rows)
    assert [*colors.titles] == ["health", "commits", "defects", "age", "owner"]
    classes = {str(it["id"]): it for it in colored}
    assert classes["a.py"]["health_class"] == 2
    assert colors.labels["health"][int(str(classes["b.py"]["health_class"]))] == "no functions"
    assert colors.labels["owner"][int(str(classes["b.py"]["owner_class"]))] == "Bob"
    assert "nobody" in colors.labels["owner"][int(str(classes["a.py"]["owner_class"]))]
    assert all(len(colors.labels[it]) == len(colors.palettes[it]) for it in colors.titles)


def test_the_treemap_starts_with_the_chosen_measure_if_it_is_known() -> None:
    rows, colors = color_rows(tree_rows([state("a.py")]))
    assert treemap(colors, "owner", rows)["signals"][0]["value"] == "owner"  # type: ignore[index]  # JSON
    assert treemap(colors, "coverage", rows)["signals"][0]["value"] == "health"  # type: ignore[index]  # JSON
