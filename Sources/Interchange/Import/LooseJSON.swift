internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// Values of files whose writers took texts for numbers, or numbers for texts.
extension JSONValue {
    /// The text of a string, a number or a Boolean.
    var looseText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): "\(value)"
        case .null, .array, .object: nil
        }
    }

    /// An integer, also one in a string.
    var looseInteger: Int64? { unquoted.integer }

    /// Milliseconds converted to nanoseconds, also those in a string; nil if negative.
    var looseNanoseconds: Int64? { unquoted.nanoseconds }

    private var unquoted: JSONValue {
        guard case .string(let text) = self else { return self }
        let digits = text.filter { $0 != " " }
        return digits.allSatisfy { "0123456789+-.eE".contains($0) } ? .number(digits) : self
    }
}
