internal import ProxydFilter
internal import Glibc

/// An exchange whose path and bodies are one text.
struct Subject: FilterSubject {
    private let bytes: [UInt8]
    private let string: String

    init(repeating bytes: [UInt8], byteCount: Int) {
        var repeated: [UInt8] = []
        while repeated.count < byteCount { repeated += bytes.isEmpty ? [0x61] : bytes }
        self.bytes = Array(repeated.prefix(byteCount))
        string = String(decoding: self.bytes, as: UTF8.self)
    }

    var tags: [String] { [] }
    func text(_ column: FilterTextColumn) -> String? { string }
    func number(_ column: FilterNumberColumn) -> Int64? { nil }
    func parameterValues(named name: String) -> [String?] { [] }
    func headerFields(of side: FilterSide) -> [(name: String, value: String)] { [] }
    func decodedBody(of side: FilterSide) -> [UInt8]? { bytes }
    func trailerFields(of side: FilterSide) -> [(name: String, value: String)] { [] }
    func responseJSONValues(at path: String) -> [String?] { [] }
    var appliedRules: [String] { [] }
    var graphQLOperations: [FilterGraphQLOperation] { [] }
    func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool { false }
}

/// The processor time that something takes on this thread, whatever else the machine does.
func nanoseconds(_ body: () -> Void) -> Int64 {
    let before = threadTime()
    body()
    return threadTime() - before
}

private func threadTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
