/// Writes the heads of forwarded messages as HTTP/1.1 text (RFC 9112).
public enum HTTP1HeadWriter {}
