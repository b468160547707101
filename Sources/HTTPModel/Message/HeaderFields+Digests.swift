extension HeaderFields {
    /// Removes digests of content that has been changed (RFC 9530, RFC 1864). An ETag is kept,
    /// because it identifies the server's version.
    public mutating func removeDigests() {
        for name in ["Content-MD5", "Digest", "Content-Digest", "Repr-Digest"] {
            removeAll(named: name)
        }
    }
}
