"""What a careful reviewer would say about a change."""
