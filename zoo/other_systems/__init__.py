"""Models of the zoo in other systems, to compare with; what they need is imported when they run."""
