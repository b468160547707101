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

/// Does the edit of a row of the documentation.
struct DocumentationEdit {
    let cells: [String]

    /// The bytes afterwards.
    func output() throws -> String {
        let bytes = Array(cells[0].utf8)
        let isJSON = cells[0].hasPrefix("{")
        let edited = isJSON ? try editedJSON(bytes) : try editedPairs(bytes)
        return String(decoding: edited, as: UTF8.self)
    }

    private func editedJSON(_ bytes: [UInt8]) throws -> [UInt8] {
        var editor = try JSONTextEditor(bytes)
        var edit = SwiftLiteral(cells[1])
        if edit.take("set(") {
            let value = try edit.value()
            try edit.expect(", at: ")
            try editor.set(value, at: JSONValuePath(edit.string()))
        } else {
            try edit.expect("remove(at: ")
            #expect(try editor.remove(at: JSONValuePath(edit.string())))
        }
        return editor.bytes
    }

    private func editedPairs(_ bytes: [UInt8]) throws -> [UInt8] {
        var pairs = QueryDecoder().decode(bytes)
        var edit = SwiftLiteral(cells[1])
        if edit.take("setValue(") {
            let value = try text(&edit)
            try edit.expect(", at: ")
            #expect(pairs.setValue(value, at: try position(&edit)))
        } else if edit.take("rename(at: ") {
            let position = try position(&edit)
            try edit.expect(", to: ")
            #expect(pairs.rename(at: position, to: try edit.string()))
        } else if edit.take("insert(name: ") {
            let name = try edit.string()
            try edit.expect(", value: ")
            let value = try text(&edit)
            try edit.expect(", at: ")
            #expect(pairs.insert(name: name, value: value, at: try position(&edit)))
        } else if edit.take("removeAll(named: ") {
            #expect(pairs.removeAll(named: try edit.string()) > 0)
        } else {
            try edit.expect("remove(at: ")
            #expect(pairs.remove(at: try position(&edit)))
        }
        return pairs.bytes
    }

    private func text(_ edit: inout SwiftLiteral) throws -> String? {
        if case .string(let text) = try edit.value() { return text }
        return nil
    }

    private func position(_ edit: inout SwiftLiteral) throws -> Int {
        guard case .int(let number) = try edit.value() else {
            throw DocumentationRow.UnknownTable()
        }
        return Int(number)
    }
}

/// Does what a row of the documentation says of multipart forms.
struct DocumentationPart {
    let table: [String]
    let cells: [String]

    func output() throws -> String {
        switch table.dropFirst().joined(separator: " | ") {
        case "Part | Body with the boundary B": try body()
        case "Name | File name | Content-Disposition":
            try disposition(cells[0], cells[1].isEmpty ? nil : cells[1], isExtended: false)
        case "File name | Content-Disposition with writesExtendedFilenames":
            try disposition("n", cells[0], isExtended: true)
        case "File name | Content-Type": FileMediaType.mediaType(ofFileNamed: cells[0])
        default: throw DocumentationRow.UnknownTable()
        }
    }

    private func body() throws -> String {
        var form = MultipartFormData(boundary: try MultipartBoundary("B"))
        var call = SwiftLiteral(cells[0])
        if call.take("append(parameters: ") {
            try form.append(parameters: call.value())
        } else if call.take("append(") {
            let content = Array(try call.string().utf8)
            try call.expect(", name: ")
            let name = try call.string()
            let filename = call.take(", filename: ") ? try call.string() : nil
            let contentType = call.take(", contentType: ") ? try call.string() : nil
            form.append(content, name: name, filename: filename, contentType: contentType)
        } else {
            try call.expect("none")
        }
        return visible(String(decoding: try form.encoded(), as: UTF8.self))
    }

    private func disposition(
        _ name: String,
        _ filename: String?,
        isExtended: Bool
    ) throws -> String {
        var form = MultipartFormData(writesExtendedFilenames: isExtended)
        let name = name.replacing("\\r", with: "\r").replacing("\\n", with: "\n")
        form.append([], name: name, filename: filename)
        let lines = visible(String(decoding: try form.encoded(), as: UTF8.self))
            .components(separatedBy: "\\r\\n")
        return String(lines[1].dropFirst("Content-Disposition: ".count))
    }

    private func visible(_ text: String) -> String {
        text.replacing("\r", with: "\\r").replacing("\n", with: "\\n")
            .replacing("\r\n", with: "\\r\\n")
    }
}
