extension Configuration {
    /// Limits on what is accepted.
    package struct Limits: Sendable, Equatable {
        /// Clients connected at the same time; 0 derives the limit from the number of file
        /// descriptors.
        package var clientConnectionCountMax = 0
        /// The length of a request line without CRLF, in bytes.
        package var requestLineByteCountMax = 65_536
        /// The size of a request's whole head, in bytes: start line and fields.
        package var headByteCountMax = 262_144
        /// Field lines in a request's head.
        package var fieldCountMax = 1_000
        /// The size of a response's whole head, in bytes.
        package var responseHeadByteCountMax = 307_200
        /// Field lines in a response's head.
        package var responseFieldCountMax = 1_500
        /// The size of a whole trailer section, in bytes.
        package var trailerByteCountMax = 65_536
        /// Interim (1xx) responses before the final one.
        package var informationalCountMax = 32
        /// Idle connections kept to one server.
        package var idleConnectionsPerOriginCountMax = 64
        /// Idle connections kept in total.
        package var idleConnectionsCountMax = 512
    }
}
