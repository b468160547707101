extension Configuration {
    /// How much of anything is accepted.
    struct Limits: Sendable, Equatable {
        /// Clients connected at once; 0 for what the descriptor limit leaves.
        var clientConnectionCountMax = 0
        /// Request line, CRLF excluded.
        var requestLineByteCountMax = 65_536
        /// A whole head: start line and fields.
        var headByteCountMax = 262_144
        /// Field lines in a head.
        var fieldCountMax = 1_000
        /// A whole trailer section.
        var trailerByteCountMax = 65_536
        /// Interim (1xx) responses before the final one.
        var informationalCountMax = 32
        /// Idle connections kept to one server.
        var idleConnectionsPerOriginCountMax = 64
        /// Idle connections kept in all.
        var idleConnectionsCountMax = 512
    }
}
