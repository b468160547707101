extension HeaderFields {
    /// Takes away what speaks of a content that is another one now (RFC 9530, RFC 1864). An ETag
    /// stays: it names what the server has.
    public mutating func removeDigests() {
        for name in ["Content-MD5", "Digest", "Content-Digest", "Repr-Digest"] {
            removeAll(named: name)
        }
    }
}
