import ProxydParameterCoding
import Testing

/// What the rules that the documentation names do to encodings.
enum DocumentationRules {
    private static let urlEncoding: [String: @Sendable (inout URLEncoding) -> Void] = [
        "none": { _ in },
        "arrays = .brackets": { $0.arrays = .brackets },
        "arrays = .noBrackets": { $0.arrays = .noBrackets },
        "arrays = .indexInBrackets": { $0.arrays = .indexInBrackets },
        "arrays = .json": { $0.arrays = .json },
        #"arrays = .custom { key, index in "\(key).\(index + 1)" }"#: {
            $0.arrays = .custom { key, index in "\(key).\(index + 1)" }
        },
        "emptyContainers = .vanish": { $0.emptyContainers = .vanish },
        "emptyContainers = .keepKey": { $0.emptyContainers = .keepKey },
        "bools = .numeric": { $0.bools = .numeric },
        "bools = .literal": { $0.bools = .literal },
        "numbers.wholeNumbersHaveFraction = true": {
            $0.numbers.wholeNumbersHaveFraction = true
        },
        "numbers.wholeNumbersHaveFraction = false": {
            $0.numbers.wholeNumbersHaveFraction = false
        },
        "numbers.allowsNonFinite = false": { $0.numbers.allowsNonFinite = false },
        "numbers.allowsNonFinite = true": { $0.numbers.allowsNonFinite = true },
        "nulls = .dropKey": { $0.nulls = .dropKey },
        "nulls = .dropValue": { $0.nulls = .dropValue },
        "nulls = .keyOnly": { $0.nulls = .keyOnly },
        "nulls = .null": { $0.nulls = .null },
        "data = .base64": { $0.data = .base64 },
        "data = .deferredToData": { $0.data = .deferredToData },
        "dates = .deferredToDate": { $0.dates = .deferredToDate },
        "dates = .secondsSince1970": { $0.dates = .secondsSince1970 },
        "dates = .millisecondsSince1970": { $0.dates = .millisecondsSince1970 },
        "dates = .iso8601": { $0.dates = .iso8601 },
        #"dates = .formatted("yyyy-MM-dd HH:mm:ss.SSS")"#: {
            $0.dates = .formatted("yyyy-MM-dd HH:mm:ss.SSS")
        },
        "keys = .unchanged": { $0.keys = .unchanged },
        "keys = .snakeCase": { $0.keys = .snakeCase },
        "keys = .kebabCase": { $0.keys = .kebabCase },
        "keys = .capitalized": { $0.keys = .capitalized },
        "keys = .uppercased": { $0.keys = .uppercased },
        "keys = .lowercased": { $0.keys = .lowercased },
        "keyPaths = .brackets": { $0.keyPaths = .brackets },
        "keyPaths = .dots": { $0.keyPaths = .dots },
        "keyOrder = .sortedKeys": { $0.keyOrder = .sortedKeys },
        "keyOrder = .asGiven": { $0.keyOrder = .asGiven },
        "spaces = .percentEscaped": { $0.spaces = .percentEscaped },
        "spaces = .plus": { $0.spaces = .plus },
        "escapes = .rfc3986": { $0.escapes = .rfc3986 },
        "escapes = .strict": { $0.escapes = .strict },
        "escapes = .whatwgForm": { $0.escapes = .whatwgForm },
        "numbers.notation = .swift": { $0.numbers.notation = .swift },
        "numbers.notation = .javaScript": { $0.numbers.notation = .javaScript },
        #"nulls = .custom { "none" }"#: { $0.nulls = .custom { "none" } },
        #"data = .custom { "\($0.count) bytes" }"#: {
            $0.data = .custom { "\($0.count) bytes" }
        },
        #"dates = .custom { "\(Int($0.secondsSince1970))" }"#: {
            $0.dates = .custom { "\(Int($0.secondsSince1970))" }
        },
        #"keys = .custom { "x-" + $0 }"#: { $0.keys = .custom { "x-" + $0 } },
        #"keyPaths = .custom { "-" + $0 }"#: { $0.keyPaths = .custom { "-" + $0 } },
        #"escapes = .strict.keeping("&=+#%")"#: { $0.escapes = .strict.keeping("&=+#%") },
        "lineEnds = .asGiven": { $0.lineEnds = .asGiven },
        "lineEnds = .crlf": { $0.lineEnds = .crlf },
        "ignoresMethodCase = false": { $0.ignoresMethodCase = false },
        "ignoresMethodCase = true": { $0.ignoresMethodCase = true },
        "absentParameters = .touchNothing": { $0.absentParameters = .touchNothing },
        "absentParameters = .actAsEmpty": { $0.absentParameters = .actAsEmpty },
        "existingQuery = .escaped": { $0.existingQuery = .escaped },
        "existingQuery = .asGiven": { $0.existingQuery = .asGiven },
        "destination = .methodDependent": { $0.destination = .methodDependent },
        "destination = .queryString": { $0.destination = .queryString },
        "destination = .httpBody": { $0.destination = .httpBody },
        #"queryMethods = ["POST"]"#: { $0.queryMethods = ["POST"] },
    ]

    private static let presets: [String: URLEncoding] = [
        ".default": .default, ".alamofire4": .alamofire4, ".alamofire5Form": .alamofire5Form,
        ".afNetworking": .afNetworking, ".whatwgForm": .whatwgForm,
    ]

    private static let jsonEncoding: [String: @Sendable (inout JSONEncoding) -> Void] = [
        ".default": { $0 = .default },
        ".sortedKeys": { $0 = .sortedKeys },
        ".prettyPrinted": { $0 = .prettyPrinted },
        ".alamofire": { $0 = .alamofire },
        "writer.data = .deferredToData": { $0.writer.data = .deferredToData },
        "writer.dates = .iso8601": { $0.writer.dates = .iso8601 },
        "writer.dates = .secondsSince1970": { $0.writer.dates = .secondsSince1970 },
        "writer.dates = .millisecondsSince1970": { $0.writer.dates = .millisecondsSince1970 },
        "writer.keyOrder = .sorted": { $0.writer.keyOrder = .sorted },
        "writer.indentationByteCount = 1": { $0.writer.indentationByteCount = 1 },
        "writer.escapesSlashes = true": { $0.writer.escapesSlashes = true },
        "writer.writesWholeDoublesAsIntegers = true": {
            $0.writer.writesWholeDoublesAsIntegers = true
        },
    ]

    private static let decoders: [String: QueryDecoder] = [
        "plusIsSpace = true": QueryDecoder(plusIsSpace: true),
        "plusIsSpace = false": QueryDecoder(plusIsSpace: false),
        "semicolonSeparates = true": QueryDecoder(semicolonSeparates: true),
        "semicolonSeparates = false": QueryDecoder(semicolonSeparates: false),
    ]

    static func decoder(_ rule: String) throws -> QueryDecoder {
        try #require(decoders[rule], "unknown rule: \(rule)")
    }

    static func urlEncoding(_ rule: String) throws -> URLEncoding {
        if let preset = presets[rule] { return preset }
        var encoding = URLEncoding()
        let change = try #require(urlEncoding[rule], "unknown rule: \(rule)")
        change(&encoding)
        return encoding
    }

    static func jsonEncoding(_ rule: String) throws -> JSONEncoding {
        var encoding = JSONEncoding.default
        let change = try #require(jsonEncoding[rule], "unknown rule: \(rule)")
        change(&encoding)
        return encoding
    }
}
