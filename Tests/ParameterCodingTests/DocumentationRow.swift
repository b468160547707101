import Foundation
import ProxydParameterCoding
import ProxydPropertyLists
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
        case "Rule | URL | Pairs | Joined": return [try joined()]
        case "Rule | Parameters | Body | Content-Type": return try posted()
        case "Parameters of the query | Parameters of the body | Query | Body":
            return try composite()
        case "XML | Parameters": return [propertyListRead()]
        case "Bytes | Edit | Bytes afterwards", "Text | Edit | Text afterwards":
            return [try DocumentationEdit(cells: cells).output()]
        case "Bytes | Pairs": return [decodedPairs(QueryDecoder(), cells[0])]
        case "Rule | Bytes | Pairs":
            return [decodedPairs(try DocumentationRules.decoder(cells[0]), cells[1])]
        case "Declared charset | Bytes | Text | Read as": return try text()
        case "Bytes | Tree | Guesses": return try tree()
        case "Rule | Bytes | Tree":
            let pairs = QueryDecoder().decode(bytes(cells[1]))
            let tree = try ParameterTree.view(of: pairs, dotsNest: cells[0] == "dotsNest: true")
            let isExpected = try tree.parameter == SwiftLiteral.parameter(cells[2])
            return [isExpected ? cells[2] : "\(tree.parameter)"]
        case "Content-Type | Body | Kind":
            let kind = BodyKind.detect(contentType: MediaType(cells[0]), bytes: cells[1].utf8.span)
            return ["\(kind)"]
        default: return [try DocumentationPart(table: columns, cells: cells).output()]
        }
    }

    // MARK: Encoding

    private func pairs() throws -> String {
        let parameters = try SwiftLiteral.parameter(cells[1])
        do {
            return text(try DocumentationRules.urlEncoding(cells[0]).bytes(parameters))
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

    private func joined() throws -> String {
        let encoded = try DocumentationRules.urlEncoding(cells[0])
            .encode(SwiftLiteral.parameter(cells[2]), method: "GET")
        return text(
            URLQuery.joined(bytes(cells[1]), with: encoded.query, existing: encoded.existingQuery))
    }

    /// The parameters of a cell; nil where it says that there are none.
    private func parameters(_ cell: String) throws -> Parameter? {
        cell == "none" ? Parameter?.none : try SwiftLiteral.parameter(cell)
    }

    private func posted() throws -> [String] {
        let encoded = try DocumentationRules.urlEncoding(cells[0])
            .encode(parameters(cells[1]), method: "POST")
        return [encoded.body.map(text) ?? "none", encoded.contentType ?? "none"]
    }

    private func composite() throws -> [String] {
        let encoded = try CompositeEncoding(body: JSONEncoding.default)
            .encode(query: parameters(cells[0]), body: parameters(cells[1]), method: "POST")
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

    private func propertyListRead() -> String {
        do throws(PropertyListError) {
            let read = try PropertyListReader().read(bytes("<plist>\(cells[0])</plist>"))
            let expected = try? SwiftLiteral.parameter(cells[1])
            return read == expected ? cells[1] : "\(read)"
        } catch {
            return "error: \(error)"
        }
    }

    private func text() throws -> [String] {
        let text = ByteText(declaredCharset: cells[0].isEmpty ? nil : cells[0])
        let pair = try #require(QueryDecoder(text: text).decode(bytes(cells[1])).pairs.first)
        return [pair.value ?? "", "\(pair.valueOrigin)"]
    }

    private func decodedPairs(_ decoder: QueryDecoder, _ cell: String) -> String {
        let decoded = decoder.decode(bytes(cell))
        #expect(decoded.joined() == bytes(cell))
        return decoded.pairs.map { pair in
            "[\"" + ([pair.name] + (pair.value.map { [$0] } ?? [])).joined(separator: "\", \"")
                + "\"]"
        }.joined(separator: " ")
    }

    private func tree() throws -> [String] {
        let tree = try ParameterTree.view(of: QueryDecoder().decode(bytes(cells[0])))
        let isExpected = try tree.parameter == SwiftLiteral.parameter(cells[1])
        return [isExpected ? cells[1] : "\(tree.parameter)"] + tree.guesses.map { "\($0.kind)" }
    }

    private func bytes(_ cell: String) -> [UInt8] { Array(cell.utf8) }
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
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
