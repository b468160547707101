import Foundation
import ProxydCurlCommand
import ProxydHTTPModel
import Testing

@Suite struct ShellWordTests {
    @Test func `special characters in a shell word are put in single quotes`() {
        #expect(ShellWord.quoted("$HOME `x` \"!\" \\") == "'$HOME `x` \"!\" \\'")
    }

    @Test func `a single quote in a shell word is written outside the quotes`() {
        #expect(ShellWord.quoted("it's") == "'it'\\''s'")
    }
}

/// Real shells hand words on unchanged.
@Suite(.enabled(if: Shell.areThere, Shell.absence))
struct ShellWordEndToEndTests {
    private func words(_ shell: Shell, of quoted: [String]) throws -> [[UInt8]] {
        let output = try shell.output(of: "printf '%s\\0' \(quoted.joined(separator: " "))")
        return output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map(
            Array.init)
    }

    @Test(arguments: Shell.allCases)
    func `shell quoting preserves every byte except NUL`(shell: Shell) throws {
        let every = (1...255).map(UInt8.init)
        var words = every.map { [$0] } + every.map { [0x61, $0] } + every.map { [$0, 0x61] }
        words += [every, every.reversed(), [], Array("\n".utf8), Array("\u{1}\n\n".utf8)]
        words += ["-n", "--", "-e\u{7}", "%s%n\u{7}", "\\c\u{7}", "'\u{7}'"].map { Array($0.utf8) }
        #expect(try self.words(shell, of: words.map { ShellWord.quoted($0) }) == words)
    }

    @Test(arguments: Shell.allCases)
    func `the printf of every shell restores all bytes that were escaped as a printf format`(
        shell: Shell
    ) throws {
        let bytes = (0...255).map(UInt8.init) + Array("-%s\\101'0".utf8)
        let format = ShellWord.printfFormat(bytes)
        #expect(try shell.output(of: "printf '\(format)'") == bytes)
        let minus = ShellWord.printfFormat(Array("-v x".utf8))
        #expect(try shell.output(of: "printf '\(minus)'") == Array("-v x".utf8))
    }

    @Test(
        .enabled(if: SharedVectors.folder != nil, SharedVectors.absence),
        arguments: Shell.allCases)
    func `problematic test strings that are quoted as words pass through every shell unchanged`(
        shell: Shell
    ) throws {
        let strings = try SharedVectors.strings().filter { !$0.contains("\0") }
        #expect(strings.count > 400)
        let words = strings.map { Array($0.utf8) }
        #expect(try self.words(shell, of: strings.map { ShellWord.quoted($0) }) == words)
        #expect(try self.words(shell, of: words.map { ShellWord.quoted($0) }) == words)
    }

    /// The shells expand the command; its words are what curl would be given.
    @Test(
        .enabled(if: SharedVectors.folder != nil, SharedVectors.absence),
        arguments: Shell.allCases)
    func `problematic test strings are unchanged in the fields, query and body of a curl command`(
        shell: Shell
    ) throws {
        var script = "curl() { printf '%s\\0' \"$@\"; }\n"
        var expected: [[UInt8]] = []
        for string in try SharedVectors.strings() where !string.utf8.contains(0) {
            let value = Array(string.utf8)
            let target = Array("/?q=".utf8) + value.filter { $0 > 0x20 && $0 != 0x7F }
            let isField = !value.contains { $0 == 0x0A || $0 == 0x0D }
            let fields = isField ? HeaderFields([("X", "a" + string)]) : HeaderFields()
            let url = RawURL(scheme: "http", host: "h", port: 80, origin: target)
            let body = ShellWord.plainText(value) == nil ? [0x61] : [0x61] + value
            let options = CurlOptions(redaction: nil, isHeadComplete: false)
            let command = try #require(
                CurlCommand(
                    method: .put, url: url, fields: fields, body: .bytes(body),
                    options: options))
            script += command.text(.multiLine) + "\n"
            expected.append(body)
            if isField { expected.append(Array("X: a".utf8) + value) }
            expected.append(target)
        }
        let words = Set(try shell.output(of: script).split(separator: 0).map(Array.init))
        for word in expected {
            #expect(words.contains(word) || words.contains(Array("http://h".utf8) + word))
        }
    }
}
