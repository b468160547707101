internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Requests by async-http-client, on one thread as ours.
struct PeerClient: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let client: HTTPClient

    init(connectionCount: Int, certificatePath: String) throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(certificatePath)
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionCount
        configuration.httpVersion = .http1Only
        client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    /// Bytes of the response.
    func send(_ url: String, body: [UInt8]?) async throws -> Int {
        var request = HTTPClientRequest(url: url)
        if let body {
            request.method = .POST
            request.body = .bytes(body)
        }
        let response = try await client.execute(request, timeout: .seconds(60))
        return try await response.body.collect(upTo: 2 << 20).readableBytes
    }

    func end() async throws {
        try await client.shutdown()
        try await group.shutdownGracefully()
    }
}
