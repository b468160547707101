import Foundation
import ProxydRules
import Testing

/// docs/RULES.md teaches by examples: all of them are rules, and its recipes do what they show.
struct RulesDocumentTests {
    /// A fenced block: its language and its lines.
    private struct Block {
        let language: String
        let lines: [String]

        var text: String { lines.joined(separator: "\n") + "\n" }
    }

    private func blocks() throws -> [Block] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appendingPathComponent("docs/RULES.md"), encoding: .utf8)
        var blocks: [Block] = []
        var open: (language: String, lines: [String])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let block = open, line == "```" {
                blocks.append(Block(language: block.language, lines: block.lines))
                open = nil
            } else if open != nil {
                open?.lines.append(String(line))
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), [])
            }
        }
        return blocks
    }

    @Test func `every example rule in the rules documentation is valid`() throws {
        let examples = try blocks().filter { $0.language == "toml" && $0.text.contains("[[rule]]") }
        #expect(examples.count >= 13)
        for example in examples {
            _ = try RulesFile.read(example.text, file: "RULES.md", now: 0)
        }
    }

    @Test func `the recipes in the rules documentation produce the messages shown there`() throws {
        let blocks = try blocks()
        var count = 0
        for (rules, shown) in zip(blocks, blocks.dropFirst())
        where rules.language == "toml" && shown.language == "http" {
            try check(rules, shown)
            count += 1
        }
        #expect(count >= 8)
    }

    /// Takes what a recipe's client sends through its rules.
    private func check(_ rules: Block, _ shown: Block) throws {
        let set = try RulesFile.read(rules.text, file: "RULES.md", now: 0)
        let name = try #require(set.rules.first?.name)
        let messages = RulesDocumentTests.messages(shown)
        var exchange = try RuleExchange(
            set, Array(try #require(messages["the client sends"]).utf8))
        exchange.send()
        if let sent = messages["the server gets"] {
            #expect(exchange.sent?.text == sent, "\(name)")
        }
        if let answer = messages["the server answers"] { try exchange.answer(Array(answer.utf8)) }
        if let received = messages["the client gets"] {
            #expect(exchange.received?.text == received, "\(name)")
        }
    }

    /// The messages of a block, by what stands above each; lines of heads end as HTTP has it.
    private static func messages(_ block: Block) -> [String: String] {
        var messages: [String: [String]] = [:]
        var title = ""
        for line in block.lines {
            if line.hasPrefix("# the ") {
                title = String(line.dropFirst(2))
            } else {
                messages[title, default: []].append(line)
            }
        }
        return messages.mapValues { lines in
            let end = lines.firstIndex(of: "") ?? lines.endIndex
            let head = lines[..<end].map { $0 + "\r\n" }.joined() + "\r\n"
            return head + lines[min(end + 1, lines.endIndex)...].joined(separator: "\n")
        }
    }
}
