/// The terminal interface: placeholder until its rooms are filled.
