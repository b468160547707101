import Capture
import ProxydFilter

/// docs/FILTER.md as the filter language's manual makes it.
enum FilterDocument {
    static var text: String {
        var text = """
            # The filter language

            A filter selects exchanges. It is the same in `proxyctl list`, `tail`, `export`, \
            `replay --filter`, `clear`
            and the terminal interface's `/`. `proxyctl help filter` prints this page's
            tables; both are generated from `Sources/Filter/Manual`, and a test runs every example.

            Quote a filter in the shell, where `< > ( ) ! & | ~` and spaces have meanings of their \
            own:
            `proxyctl list 'status>=400 host:shop'`. Several words are one filter: \
            `list host:shop method=POST`.

            A filter has at most \(FilterGrammar.filterByteCountMax) bytes, at most \
            \(FilterGrammar.tokenCountMax) words, tests, operators and parentheses (counted
            together), and at most \(FilterGrammar.depthMax) levels of parentheses and `not`. \
            A mistake is reported with its column; `proxyctl` then exits with status 64.

            """
        for section in FilterManual.sections + [FilterManual.messageFilters] {
            text += self.text(of: section)
        }
        return text
    }

    private static func text(of section: FilterSection) -> String {
        var text = "\n## \(section.title)\n\n"
        if let note = section.note { text += "\(escaped(note))\n\n" }
        text += "| write | it means | for example | which finds |\n|---|---|---|---|\n"
        for entry in section.entries {
            var first = "| \(code(entry.form)) | \(escaped(entry.meaning)) "
            for example in entry.examples {
                text += "\(first)| \(code(example.filter)) | \(escaped(example.finding)) |\n"
                first = "| | "
            }
        }
        return text
    }

    /// Code inside a table, where a bar ends the cell even inside of code.
    private static func code(_ text: String) -> String {
        "`\(text.replacing("|", with: "\\|"))`"
    }

    /// Text in which nothing is markup.
    private static func escaped(_ text: String) -> String {
        text.map { "\\`*_<>|[]~".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}
