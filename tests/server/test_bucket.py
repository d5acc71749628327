from benchpin.server import TokenBucket


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_passes_and_the_next_must_wait() -> None:
    bucket = TokenBucket(burst=1000, per_second=100, monotonic=Clock())
    assert [bucket.take() for _ in range(1000)] == [0] * 1000
    assert bucket.take() == 10


def test_tokens_come_back_at_the_sustained_rate() -> None:
    clock = Clock()
    bucket = TokenBucket(burst=5, per_second=100, monotonic=clock)
    for _ in range(5):
        bucket.take()
    clock.now = 0.03
    assert [bucket.take() for _ in range(4)] == [0, 0, 0, 10]


def test_rest_fills_the_bucket_no_further_than_the_burst() -> None:
    clock = Clock()
    bucket = TokenBucket(burst=2, per_second=100, monotonic=clock)
    clock.now = 3600.0
    assert [bool(bucket.take()) for _ in range(3)] == [False, False, True]


def test_waiting_as_long_as_told_is_enough() -> None:
    clock = Clock()
    bucket = TokenBucket(burst=1, per_second=3, monotonic=clock)
    bucket.take()
    clock.now = bucket.take() / 1000
    assert bucket.take() == 0
