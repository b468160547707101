/// The text of an underlying error, without the values that decoding and encoding errors quote.
public enum UnderlyingErrorText {
    /// The error's description; for decoding and encoding errors, only the kind and the coding
    /// path.
    public static func text(of error: any Error) -> String {
        switch error {
        case let error as DecodingError: decoding(error)
        case EncodingError.invalidValue(_, let context):
            "EncodingError.invalidValue" + place(context.codingPath)
        default: "\(error)"
        }
    }

    private static func decoding(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, let context):
            "DecodingError.typeMismatch, wanted \(type)," + place(context.codingPath)
        case .valueNotFound(let type, let context):
            "DecodingError.valueNotFound, wanted \(type)," + place(context.codingPath)
        case .keyNotFound(let key, let context):
            "DecodingError.keyNotFound, wanted \(key.stringValue)," + place(context.codingPath)
        case .dataCorrupted(let context):
            "DecodingError.dataCorrupted" + place(context.codingPath)
        @unknown default: "DecodingError"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        let keys = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
        return " at " + (keys.isEmpty ? "the top" : keys.joined(separator: "."))
    }
}
