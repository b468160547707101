/// The two that are compared, or one of them alone.
struct BenchmarkClients {
    let ours: OurClient?
    let theirs: PeerClient?

    init(server: NginxServer, leavingOut arguments: some Sequence<String>) throws {
        let (count, path) = (BenchmarkCase.inFlightCount, server.certificatePath)
        ours =
            arguments.contains("theirs")
            ? nil : OurClient(connectionCount: count, certificatePath: path)
        theirs =
            arguments.contains("ours")
            ? nil : try PeerClient(connectionCount: count, certificatePath: path)
    }

    func end() async throws {
        ours?.end()
        try await theirs?.end()
    }
}
