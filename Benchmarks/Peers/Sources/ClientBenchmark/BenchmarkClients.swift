/// The two that are compared, or one of them alone.
struct BenchmarkClients {
    let ours: OurClient?
    let theirs: PeerClient?

    init(certificatePath: String, hasOurs: Bool, hasTheirs: Bool) throws {
        let count = BenchmarkCase.inFlightCount
        ours = hasOurs ? OurClient(connectionCount: count, certificatePath: certificatePath) : nil
        theirs =
            hasTheirs
            ? try PeerClient(connectionCount: count, certificatePath: certificatePath) : nil
    }

    func end() async throws {
        ours?.end()
        try await theirs?.end()
    }
}
