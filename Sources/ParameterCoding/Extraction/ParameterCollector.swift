/// Collects parameters until a limit is reached.
struct ParameterCollector {
    private(set) var parameters: [ExtractedParameter] = []
    private(set) var isFull = false
    /// Whether something is missing from the parameters because of a limit.
    private(set) var isCut = false
    private let limits: ExtractionLimits
    private var textByteCount = 0

    init(limits: ExtractionLimits) {
        self.limits = limits
    }

    mutating func add(_ source: ExtractedParameter.Source, _ name: String, _ value: String?) {
        guard !isFull else { return }
        var value = value
        if let whole = value, whole.utf8.count > limits.valueByteCountMax {
            value = cut(whole)
            isCut = true
        }
        textByteCount &+= name.utf8.count &+ (value?.utf8.count ?? 0)
        guard parameters.count < limits.parameterCountMax,
            textByteCount <= limits.textByteCountMax
        else {
            isFull = true
            isCut = true
            return
        }
        parameters.append(ExtractedParameter(source: source, name: name, value: value))
    }

    /// Records that a decoder's limit excluded something.
    mutating func markCut() { isCut = true }

    /// The maximum size of one value in bytes.
    var valueByteCountMax: Int { limits.valueByteCountMax }

    private func cut(_ value: String) -> String {
        let utf8 = value.utf8
        let end = utf8.index(utf8.startIndex, offsetBy: max(0, limits.valueByteCountMax))
        // The view rounds the end down to a whole character, so the truncated text stays valid.
        return String(value.unicodeScalars[..<end])
    }
}

/// All leaves become parameters.
extension ParameterCollector: JSONLeafSink {
    func wants(_ path: borrowing JSONPath) -> Bool { true }

    mutating func add(_ value: String?, at path: borrowing JSONPath) {
        add(.json, path.text, value)
    }
}
