import Foundation

/// `ProxydPageEmbedder OUTPUT FILE…` writes Swift source with the texts of the files. The plugin
/// EmbedPage runs it when the module Web is built; it is not part of what is installed.
@main
struct Program {
    static func main() throws {
        let paths = CommandLine.arguments.dropFirst()
        guard let output = paths.first else {
            FileHandle.standardError.write(Data("usage: PageEmbedder OUTPUT FILE...\n".utf8))
            exit(64)
        }
        var source = """
            /// The files of the page by their names. They are part of the program: nothing has to
            /// be installed beside it.
            enum PageFiles {
                static let named: [String: StaticString] = [

            """
        for path in paths.dropFirst() {
            let file = URL(fileURLWithPath: path)
            let text = try String(contentsOf: file, encoding: .utf8)
            source += "        \(literal(file.lastPathComponent)): \(literal(text)),\n"
        }
        source += "    ]\n}\n"
        let written = URL(fileURLWithPath: output)
        // What does not change is not compiled again.
        guard (try? Data(contentsOf: written)) != Data(source.utf8) else { return }
        try Data(source.utf8).write(to: written)
    }

    private static func literal(_ text: String) -> String {
        var escaped = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case "\n": escaped += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped + "\""
    }
}
