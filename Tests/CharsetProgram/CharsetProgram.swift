internal import Foundation
internal import ProxydCharsets
internal import ProxydParameterCoding

/// The charsets as a program, for tests that compare them with those of a browser.
///
/// `ProxydCharsetProgram names` writes the name of the charset of each line's label, or `-`;
/// `decode LABEL` writes bytes as UTF-8; `encode LABEL` writes UTF-8 in the charset, with character
/// references for what it lacks.
@main
struct CharsetProgram {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let input = try FileHandle.standardInput.readToEnd() ?? Data()
        switch (arguments.first, arguments.dropFirst().first) {
        case ("names", nil):
            let labels = String(decoding: input, as: UTF8.self).split(separator: "\n")
            let names = labels.map { Charset(label: String($0))?.rawValue ?? "-" }
            try write(Array(names.joined(separator: "\n").utf8))
        case ("decode", let label?):
            guard let charset = Charset(label: label) else { fail("no charset: \(label)") }
            try write(Array(charset.decode(Array(input).span).text.utf8))
        case ("encode", let label?):
            let text = String(decoding: input, as: UTF8.self)
            try write(ByteText(declaredCharset: label).bytes(of: text))
        default: fail("usage: names | decode LABEL | encode LABEL")
        }
    }

    private static func write(_ bytes: [UInt8]) throws {
        try FileHandle.standardOutput.write(contentsOf: Data(bytes))
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(64)
    }
}
