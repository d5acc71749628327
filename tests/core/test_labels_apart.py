"""Which points of a scatter plot have their label beside them."""

from benchpin.present.charts import labels_apart


def test_labels_that_would_overlap_are_left_to_the_points_that_come_first() -> None:
    points = [(8.0, 85.0, "QueuePlaybackService.ts"), (12.0, 82.0, "PlayableContextMenu.vue")]
    far = (18.0, 10.0, "Song.php")
    assert labels_apart([*points, far], 8) == {0, 2}


def test_no_more_labels_than_asked_for_are_chosen() -> None:
    points = [(1.0, float(at) * 100, "a.py") for at in range(9)]
    assert labels_apart(points, 3) == {0, 1, 2}


def test_points_at_zero_have_a_label_too() -> None:
    assert labels_apart([(0.0, 0.0, "a.py")], 8) == {0}
    assert labels_apart([], 8) == frozenset()
