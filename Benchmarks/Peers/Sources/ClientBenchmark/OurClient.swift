internal import ClientLib

/// Requests by ClientLib.
struct OurClient: Sendable {
    private let session: Session

    init(connectionCount: Int, certificatePath: String) {
        var configuration = SessionConfiguration()
        configuration.maximumConnectionsPerHost = connectionCount
        // Under a profiler, 64 handshakes take their time.
        configuration.timeouts.connect = .seconds(60)
        configuration.trustedAuthorities = .files([certificatePath])
        session = Session(configuration: configuration)
    }

    /// Bytes of the response.
    func send(_ url: String, body: [UInt8]?) async throws -> Int {
        let request = session.request(
            url, method: body == nil ? .get : .post, body: body.map { .bytes($0) } ?? .none)
        return try await request.serializingData().value.count
    }

    func end() { session.shutdown() }
}
