"""Pictures: specifications by kind, and rows that join several measures.

A specification module knows the kind of drawing (`scatter`, `bars`) and nothing of the measure; a
module of rows knows the measure. Tools put both together in a `Picture` of their view.
"""
