from benchpin.code.references import FunctionCall
from benchpin.measures.churn import CoupledFiles
from benchpin.measures.views.churn import together_rows
from benchpin.project.pictures import call_map, describe_calls


def test_callers_are_to_the_left_of_the_symbol_and_callees_to_the_right() -> None:
    callers = [FunctionCall("a.py::f", "m.py::x", "certain", "a.py", 3, 2, text="x()")]
    callees = [FunctionCall("m.py::x", "b.py::g", "possible", "m.py", 7, 1)]
    found = call_map("m.py::x", callers, callees)
    boxes = {it["id"]: it for it in found.rows if not it.get("is_edge")}
    across = [float(str(boxes[it]["x"])) for it in ("a.py::f", "m.py::x", "b.py::g")]
    assert across == sorted(across)
    assert boxes["m.py::x"]["is_focus"]
    assert boxes["a.py::f"]["link"] == "a.py:3"
    assert [it["kind"] for it in found.rows if it.get("is_edge")] == ["certain", "possible"]


def test_a_map_of_calls_is_bounded_and_leaves_out_tests_first() -> None:
    paths = [f"tests/test_{n}.py" for n in range(30)] + ["src/app.py"]
    callers = [FunctionCall(f"{it}::f", "m.py::x", "certain", it, 1, 1) for it in paths]
    found = call_map("m.py::x", callers, [])
    assert "src/app.py::f" in {it.get("id") for it in found.rows}
    assert found.left_out == 31 - 14
    assert "17 calls not drawn" in describe_calls("m.py::x", callers, [], found.left_out)


def test_code_that_changes_together_goes_before_lock_files() -> None:
    pairs = [CoupledFiles("package.json", "pnpm-lock.yaml", 90, 1.0)]
    pairs += [CoupledFiles("a/x.py", f"b/{n}.py", 9 - n, 0.9) for n in range(3)]
    rows = together_rows(pairs)
    assert [(it["row"], it["column"]) for it in rows[:2]] == [("x.py", "0.py"), ("0.py", "x.py")]
    assert len(rows) == 6
    assert together_rows(pairs[:1])[0]["row"] == "package.json"
