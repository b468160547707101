/// Collects the values of the leaves at one path of a JSON text.
struct JSONValuesAtPath: JSONLeafSink {
    /// The maximum number of values; further ones are left out.
    private static let countMax = 1_000

    private(set) var values: [String?] = []
    private let wanted: [UInt8]

    init(_ path: String) { wanted = Array(path.utf8) }

    var isFull: Bool { values.count >= JSONValuesAtPath.countMax }

    func wants(_ path: borrowing JSONPath) -> Bool { path.isAt(wanted) }

    mutating func add(_ value: String?, at path: borrowing JSONPath) { values.append(value) }
}
