internal import ProxydPresentation
internal import ProxydHTTPModel
internal import ProxydOperations

extension FormDialog {
    private static let formats: [(name: String, format: ExportOrder.Format)] = [
        ("HAR", .har), ("curl", .curl), ("JSON lines", .jsonl),
        ("OpenAPI", .openapi), ("Postman", .postman), ("k6", .k6),
    ]

    /// Asks what to write to a file, and how.
    static func exporting(_ chosen: ChosenRows) -> FormDialog {
        let choices = chosen.choices
        return FormDialog(
            "Export",
            [
                .choice("What", choices.map(\.name)),
                .choice("Format", formats.map(\.name)),
                .choice("Credentials", ["remove them", "keep them"]),
                .text("File", FileNames.export(.har)),
            ],
            verb: "exports",
            adapt: { questions, changed in
                // The name follows the format until the user types another one.
                guard changed == 1, case .choice(_, let selected) = questions[1].kind,
                    case .text(let field) = questions[3].kind,
                    formats.contains(where: { FileNames.export($0.format) == field.text })
                else { return }
                questions[3].kind = .text(TextField(FileNames.export(formats[selected].format)))
            }
        ) { answers throws(Refusal) in
            guard !answers.text(3).isEmpty else { throw Refusal(words: "a file needs a name") }
            let order = ExportOrder(
                selection: choices[answers.choice(0)].selection,
                format: formats[answers.choice(1)].format, isRedacted: answers.choice(2) == 0)
            return .become(WritingScreen.exporting(order, to: answers.text(3)))
        }
    }
}

extension WritingScreen {
    /// Writes exchanges to a file.
    static func exporting(_ order: ExportOrder, to path: String) -> WritingScreen {
        WritingScreen("Exporting", to: path) { file, context, report in
            guard let exporting = context.hostActions.exporting else {
                throw WorkFailure("nothing can be exported here")
            }
            let summary = try exporting.export(order, write: { try file.write($0) }) { progress in
                report(
                    Progress(
                        fraction: progress.fraction,
                        words: Quantity.count(
                            progress.exchangeCount, "exchange", isGrouped: true)))
                return !context.isCancelled()
            }
            guard summary.exchangeCount > 0 else {
                throw WorkFailure("there is nothing to export")
            }
            return words(summary)
        }
    }

    private static func words(_ summary: ExportSummary) -> String {
        var words =
            "exported " + Quantity.count(summary.exchangeCount, "exchange", isGrouped: true)
        if summary.leftOutCount > 0 {
            let parts = Quantity.count(summary.leftOutCount, "part")
            words += ", without \(parts) that could not be searched for credentials,"
        }
        if summary.withoutCommandCount > 0 {
            words += ", \(summary.withoutCommandCount) of them only as a comment,"
        }
        return words
    }
}
