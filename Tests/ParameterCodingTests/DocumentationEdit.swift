import ProxydParameterCoding
import Testing

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
