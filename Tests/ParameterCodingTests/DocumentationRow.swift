import Foundation
import ParameterCoding
import Testing

/// Does what a row of the documentation says is done, and gives the cells that it leads to.
struct DocumentationRow {
    struct UnknownTable: Error {}

    private static let presetParameters: Parameter = [
        "s": "a b", "n": nil, "b": true, "f": 1.0, "l": [2, 1],
    ]

    let table: String
    let cells: [String]

    /// The cells of the output columns; those of guesses and warnings one by one.
    func outputs() throws -> [String] {
        let columns = table.components(separatedBy: " | ")
        switch columns.dropFirst().joined(separator: " | ") {
        case "Rule | Parameters | Pairs": return [try pairs()]
        case "Rule | Parameters | Pairs | Warnings": return try warnings()
        case "Preset | Pairs | Content-Type of a body": return try preset()
        case "Rule | Method | Query | Body": return try destination()
        case "URL | Pairs | Joined":
            return [text(URLQuery.joined(Array(cells[0].utf8), with: Array(cells[1].utf8)))]
        case "Rule | Parameters | Body":
            let parameters = try SwiftLiteral.parameter(cells[1])
            return [visible(text(try DocumentationRules.jsonEncoding(cells[0]).encode(parameters)))]
        case "Parameters | XML": return [try propertyList()]
        case "Octets | Edit | Octets afterwards": return [try edited()]
        case "Octets | Pairs": return [decodedPairs()]
        case "Octets | Text | Read as":
            let pair = try #require(QueryDecoder().decode(octets(cells[0])).pairs.first)
            return [pair.value ?? "", "\(pair.valueOrigin)"]
        case "Octets | Tree | Guesses": return try tree()
        case "Content-Type | Body | Kind":
            let kind = BodyKind.detect(contentType: MediaType(cells[0]), octets: cells[1].utf8.span)
            return ["\(kind)"]
        default: return [try DocumentationPart(table: columns, cells: cells).output()]
        }
    }

    // MARK: Encoding

    private func pairs() throws -> String {
        let parameters = try SwiftLiteral.parameter(cells[1])
        do {
            return text(try DocumentationRules.urlEncoding(cells[0]).octets(parameters))
        } catch let error as ParameterEncodingError {
            return "error: \(error)"
        }
    }

    private func warnings() throws -> [String] {
        let encoded = try DocumentationRules.urlEncoding(cells[0])
            .encode(SwiftLiteral.parameter(cells[1]), method: "POST")
        let names = encoded.warnings.map { String("\($0.kindName)") }
        return [text(encoded.body ?? [])] + names
    }

    private func preset() throws -> [String] {
        let encoded = try DocumentationRules.urlEncoding(cells[0])
            .encode(DocumentationRow.presetParameters, method: "POST")
        return [text(encoded.body ?? []), encoded.contentType ?? ""]
    }

    private func destination() throws -> [String] {
        let encoded = try DocumentationRules.urlEncoding(cells[0])
            .encode(["a": 1], method: cells[1])
        #expect((encoded.body == nil) == (encoded.contentType == nil))
        return [text(encoded.query ?? []), text(encoded.body ?? [])]
    }

    private func propertyList() throws -> String {
        let parameters = try SwiftLiteral.parameter(cells[0])
        do throws(PropertyListWritingError) {
            let binary = try PropertyListEncoding.binary.encode(parameters)
            let again = try? PropertyListReader().read(binary)
            #expect(again == parameters)
            let lines = text(try PropertyListEncoding.xml.encode(parameters)).split(separator: "\n")
            let list = lines.joined().replacing("\t", with: "")
            let start = list.firstRange(of: "<plist version=\"1.0\">")?.upperBound
            let end = list.firstRange(of: "</plist>")?.lowerBound
            guard let start, let end else { return list }
            return String(list[start..<end])
        } catch {
            return "error: \(error)"
        }
    }

    // MARK: Decoding

    private func decodedPairs() -> String {
        let decoded = QueryDecoder().decode(octets(cells[0]))
        #expect(decoded.joined() == octets(cells[0]))
        return decoded.pairs.map { pair in
            "[\"" + ([pair.name] + (pair.value.map { [$0] } ?? [])).joined(separator: "\", \"")
                + "\"]"
        }.joined(separator: " ")
    }

    private func tree() throws -> [String] {
        let tree = try ParameterTree.view(of: QueryDecoder().decode(octets(cells[0])))
        let isExpected = try tree.parameter == SwiftLiteral.parameter(cells[1])
        return [isExpected ? cells[1] : "\(tree.parameter)"] + tree.guesses.map { "\($0.kind)" }
    }

    private func edited() throws -> String {
        var pairs = QueryDecoder().decode(octets(cells[0]))
        var edit = SwiftLiteral(cells[1])
        func text() throws -> String? {
            if case .string(let text) = try edit.value() { return text }
            return nil
        }
        func position() throws -> Int {
            guard case .int(let number) = try edit.value() else { throw UnknownTable() }
            return Int(number)
        }
        if edit.take("setValue(") {
            let value = try text()
            try edit.expect(", at: ")
            #expect(pairs.setValue(value, at: try position()))
        } else if edit.take("rename(at: ") {
            let position = try position()
            try edit.expect(", to: ")
            #expect(pairs.rename(at: position, to: try edit.string()))
        } else if edit.take("insert(name: ") {
            let name = try edit.string()
            try edit.expect(", value: ")
            let value = try text()
            try edit.expect(", at: ")
            #expect(pairs.insert(name: name, value: value, at: try position()))
        } else {
            try edit.expect("remove(at: ")
            #expect(pairs.remove(at: try position()))
        }
        return self.text(pairs.octets)
    }

    private func octets(_ cell: String) -> [UInt8] { Array(cell.utf8) }
    private func text(_ octets: [UInt8]) -> String { String(decoding: octets, as: UTF8.self) }
    private func visible(_ text: String) -> String { text.replacing("\n", with: "\\n") }
}

extension ParameterWarning {
    fileprivate var kindName: String {
        switch self {
        case .arrayOfObjects: "arrayOfObjects"
        case .arrayOfArrays: "arrayOfArrays"
        }
    }
}
