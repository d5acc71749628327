"""What methods of the containers of a language return: what is in them, or another container."""

from ._values import Value

# Methods of the containers of Java that return what is in them.
_ITEM_GETTERS = frozenset(
    {
        *("get", "getFirst", "getLast", "next", "poll", "peek", "pop", "take", "element"),
        *("orElse", "orElseThrow", "orElseGet", "join", "cast", "newInstance"),
    }
)
# Methods of the containers of Rust that return what is in them.
_UNWRAPPING = frozenset(
    {
        *("unwrap", "expect", "unwrap_or_default", "unwrap_or", "unwrap_or_else"),
        *("borrow", "borrow_mut", "lock_owned", "into_inner", "load", "get_or_init"),
    }
)
# Methods of the containers of Rust whose result contains the same, or holds it.
_KEEPING = frozenset(
    {
        *("iter", "iter_mut", "into_iter", "as_ref", "as_mut", "as_deref", "as_deref_mut"),
        *("clone", "cloned", "copied", "take", "get", "get_mut", "first", "last", "pop", "next"),
        *("ok", "ok_or", "ok_or_else", "map_err", "context", "with_context", "filter", "rev"),
        *("lock", "read", "write", "skip", "peekable", "or_else", "or", "as_slice", "to_vec"),
        *("first_mut", "last_mut", "find", "nth", "peek", "drain", "to_owned", "pop_front"),
    }
)


def of_container(language: str, receiver: Value, name: str) -> Value | None:
    """Return what a method of a container returns, if that is known without its code."""
    is_alias = receiver.symbol is not None and receiver.symbol.kind == "type"
    if receiver.item is None or not (receiver.kind == "external" or is_alias):
        return None
    if language == "java":
        return receiver.item if name in _ITEM_GETTERS else None
    if language != "rust":
        return None
    if name in _UNWRAPPING:
        return receiver.item
    return receiver if name in _KEEPING else None
