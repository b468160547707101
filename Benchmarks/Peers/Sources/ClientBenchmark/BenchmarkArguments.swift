/// What is asked of the benchmark on the command line.
struct BenchmarkArguments {
    let isOursOnly: Bool
    let isTheirsOnly: Bool
    /// Requests of the only round; nil for all cases and rounds.
    let getCount: Int?
    /// A server that runs already.
    let server: String?
    let certificatePath: String?

    init(_ arguments: [String]) {
        let arguments = arguments.dropFirst()
        isOursOnly = arguments.contains("ours")
        isTheirsOnly = arguments.contains("theirs")
        getCount = arguments.compactMap { Int($0) }.first
        server = arguments.first { $0.hasPrefix("http") }
        certificatePath = arguments.first { $0.hasSuffix(".pem") }
    }
}
