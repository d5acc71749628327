"""SQL. No grammar reads all dialects, so `reader.py` reads the tokens; this table names the files.

tree-sitter-sql, the one grammar in a wheel, reads 309 of 1,138 files of twelve projects whole.
"""

from benchpin.facts.parsing import DECISION, FLAT, NESTING, PATH, STRUCTURE, Language

LANGUAGE = Language(
    name="sql",
    grammar="",
    title="SQL",
    aliases=("plsql", "plpgsql", "tsql"),
    extensions=(
        *(".sql", ".ddl", ".psql", ".plsql"),
        *(".pks", ".pkb", ".tps", ".tpb", ".prc", ".fnc", ".trg"),
    ),
    name_scope="project",
    unit="project",
    functions=frozenset({"FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "EVENT"}),
    # By the words of the language, which is how `_blocks.py` counts them.
    weights={
        "IF": DECISION,
        "ELSIF": PATH | FLAT,
        "ELSEIF": PATH | FLAT,
        "ELSE": FLAT,
        "WHILE": DECISION,
        "FOR": DECISION,
        "REPEAT": DECISION,
        "LOOP": STRUCTURE | NESTING,
        "CASE": STRUCTURE | NESTING,
        "WHEN": PATH,
        "HANDLER": PATH | STRUCTURE,
        "CATCH": PATH | STRUCTURE,
        "AND": PATH,
        "OR": PATH,
    },
    doc_comment=lambda _text: False,
    has_plain_docs=True,
)
