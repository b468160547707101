extension Configuration {
    /// How much of anything is accepted.
    package struct Limits: Sendable, Equatable {
        /// Clients connected at once; 0 for what the descriptor limit leaves.
        package var clientConnectionCountMax = 0
        /// Request line, CRLF excluded.
        package var requestLineByteCountMax = 65_536
        /// A whole head: start line and fields.
        package var headByteCountMax = 262_144
        /// Field lines in a head.
        package var fieldCountMax = 1_000
        /// A whole head of a server.
        package var responseHeadByteCountMax = 307_200
        /// Field lines in a server's head.
        package var responseFieldCountMax = 1_500
        /// A whole trailer section.
        package var trailerByteCountMax = 65_536
        /// Interim (1xx) responses before the final one.
        package var informationalCountMax = 32
        /// Idle connections kept to one server.
        package var idleConnectionsPerOriginCountMax = 64
        /// Idle connections kept in all.
        package var idleConnectionsCountMax = 512
    }
}
