import Foundation
import ProxydParameterCoding

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
