import Foundation
import ProxydParameterCoding
import Testing

/// One case of the shared vectors for queries and forms.
struct ParameterVectorCase: Decodable {
    struct ClosureError: Error {}

    static let path = "parameter-coding.json"
    static let kinds: Set = ["url-encoding", "form-encoder", "afn-query", "parameter-encoder"]

    let id: String
    let name: String
    let kind: String
    let parameters: ParameterVectorValue?
    let options: ParameterVectorValue
    let expected: ParameterVectorValue
    let adopt: String
    let ours: String?
    let platform: String?
    let repeatValue: Int?

    static func all() throws -> [ParameterVectorCase] {
        try Vectors.load(path, as: [ParameterVectorCase].self).filter { kinds.contains($0.kind) }
    }

    /// The parameters by way of the tree encoder; nil for none.
    func tree() throws -> Parameter? {
        guard let parameters else { return nil }
        let (root, isPairs) =
            if let (tag, value) = parameters.tagged, tag == "$root" {
                (value, false)
            } else {
                (parameters, true)
            }
        let tree = try ParameterTreeEncoder().encode(
            ParameterVectorTree(value: root, isPairs: isPairs))
        guard let repeatValue, case .object(var members) = tree else { return tree }
        for index in members.indices {
            guard case .string(let text) = members[index].value else { continue }
            members[index].value = .string(String(repeating: text, count: repeatValue))
        }
        return .object(members)
    }

    /// The encoding that the options name.
    func encoding() throws -> URLEncoding {
        var encoding = preset
        encoding.arrays = try arrays()
        encoding.bools = option("bool", "boolEncoding") == "literal" ? .literal : .numeric
        switch option("destination") {
        case "queryString": encoding.destination = .queryString
        case "httpBody": encoding.destination = .httpBody
        default: encoding.destination = .methodDependent
        }
        if let isSorted = options["alphabetize"], !isSorted.isTrue { encoding.keyOrder = .asGiven }
        if option("space") == "plusReplaced" { encoding.spaces = .plus }
        if let characters = option("allowedMinus") {
            encoding.escapes = encoding.escapes.escaping(characters)
        }
        if let characters = option("allowedPlus") {
            encoding.escapes = encoding.escapes.keeping(characters)
        }
        try setValues(&encoding)
        try setKeys(&encoding)
        return encoding
    }

    func option(_ names: String...) -> String? {
        names.lazy.compactMap { options[$0]?.text }.first
    }

    private var preset: URLEncoding {
        if kind == "afn-query" { return .afNetworking }
        if platform == "darwin" { return .alamofire4 }
        var preset = kind == "url-encoding" ? URLEncoding.default : .alamofire5Form
        // What Linux gives without a rule of its own is a switch of ours.
        if adopt == "option", platform == "linux" { preset.numbers.allowsNonFinite = true }
        return preset
    }

    private func arrays() throws -> URLEncoding.ArrayEncoding {
        switch option("array", "arrayEncoding") {
        case nil, "brackets": return .brackets
        case "noBrackets": return .noBrackets
        case "indexInBrackets": return .indexInBrackets
        case let template?:
            try #require(template.hasPrefix("custom:"), "\(id)")
            return .custom { key, index in
                template.dropFirst(7)
                    .replacingOccurrences(of: "{index+1}", with: (index + 1).description)
                    .replacingOccurrences(of: "{index}", with: index.description)
                    .replacingOccurrences(of: "{key}", with: key)
            }
        }
    }

    private func setValues(_ encoding: inout URLEncoding) throws {
        switch option("nil") {
        case nil, "dropKey": break
        case "dropValue": encoding.nulls = .dropValue
        case "null": encoding.nulls = .null
        default: Issue.record("\(id): unknown null")
        }
        switch option("data") {
        case nil, "base64": break
        case "deferredToData": encoding.data = .deferredToData
        case "custom:throws": encoding.data = .custom { _ in throw ClosureError() }
        default: Issue.record("\(id): unknown data")
        }
        switch option("date") {
        case nil, "deferredToDate": break
        case "secondsSince1970": encoding.dates = .secondsSince1970
        case "millisecondsSince1970": encoding.dates = .millisecondsSince1970
        case "iso8601": encoding.dates = .iso8601
        case "custom:throws": encoding.dates = .custom { _ in throw ClosureError() }
        case let rule? where rule.hasPrefix("formatted:"):
            encoding.dates = .formatted(String(rule.dropFirst("formatted:".count)))
        case "custom:timeIntervalSinceReferenceDate":
            encoding.dates = .custom { $0.secondsSince2001.description }
        default: Issue.record("\(id): unknown date")
        }
    }

    private func setKeys(_ encoding: inout URLEncoding) throws {
        switch option("key") {
        case nil, "useDefaultKeys": break
        case "convertToSnakeCase": encoding.keys = .snakeCase
        case "convertToKebabCase": encoding.keys = .kebabCase
        case "capitalized": encoding.keys = .capitalized
        case "uppercased": encoding.keys = .uppercased
        case "lowercased": encoding.keys = .lowercased
        case "custom:A": encoding.keys = .custom { _ in "A" }
        default: Issue.record("\(id): unknown key")
        }
        switch option("keyPath") {
        case nil, "brackets": break
        case "dots": encoding.keyPaths = .dots
        case "custom:-{key}": encoding.keyPaths = .custom { "-" + $0 }
        default: Issue.record("\(id): unknown key path")
        }
    }
}
