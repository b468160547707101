internal import ProxydExchangeContent
package import ProxydFilter
package import ProxydParameterCoding

/// Filters and their manual as the interface sends them.
package enum FilterJSON {
    /// What a valid filter tests, in the order of its text.
    package static func value(_ filter: Filter) -> JSONValue {
        .members([
            ("valid", .bool(true)), ("filter", .string(filter.text)),
            (
                "conditions",
                .array(
                    filter.looks.map {
                        .members([
                            ("field", .string($0.name)), ("column", .integer($0.column)),
                            ("meaning", .text(meaning(of: $0.name))),
                        ])
                    })
            ),
        ])
    }

    /// The manual, by sections.
    package static let manual = JSONValue.members([
        ("sections", .array(FilterManual.sections.map(section)))
    ])

    private static func meaning(of field: String) -> String? {
        FilterManual.sections.lazy.flatMap(\.entries).first {
            $0.form == field || $0.form.hasPrefix(field + ".")
        }?.meaning
    }

    private static func section(_ section: FilterSection) -> JSONValue {
        .members([
            ("title", .string(section.title)), ("note", .text(section.note)),
            ("entries", .array(section.entries.map(entry))),
        ])
    }

    private static func entry(_ entry: FilterEntry) -> JSONValue {
        .members([
            ("form", .string(entry.form)), ("meaning", .string(entry.meaning)),
            ("completion", .text(entry.completion)), ("values", .strings(entry.values)),
            (
                "examples",
                .array(
                    entry.examples.map {
                        .members([
                            ("filter", .string($0.filter)), ("finding", .string($0.finding)),
                        ])
                    })
            ),
        ])
    }
}
