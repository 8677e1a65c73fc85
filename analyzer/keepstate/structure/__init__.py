"""The parts of a text: its outline, what can be folded, the meaning of its tokens, and selections that grow."""
