internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydPresentation
internal import ProxydTerminalText

/// The line in which a filter is typed, with completions, the position of errors, and the number of
/// matching rows. Nothing here waits: counts are shown when they are available.
struct FilterBar: ScreenModel {
    /// The updated memory, and the filter to apply, or nil if the user cancelled.
    struct Answer: Sendable {
        let memory: FilterMemory
        var filter: Filter?
    }

    enum News: Sendable {
        case values([String: [String]])
        /// The number of matching rows, intermediate or final.
        case counted(RowCount)
    }

    private static let countSlot = "count"

    let title = "Filter"
    let scopes: Set<Action.Scope> = [.typing]
    private static let suggestionCountMax = 6
    /// What may close quotes, groups, and the sets of regular expressions.
    private static let closingSigns = ["\"", "'", ")", "))", "\")", "')", "x]", "x])"]

    private var field: TextField
    private var memory: FilterMemory
    private var completion = FilterCompletion()
    private var error: FilterError?
    private var count = RowCount.unknown
    /// The suggestion that was last inserted, and the text before that.
    private var cycle: (suggestions: [FilterCompletion.Suggestion], index: Int, before: TextField)?
    private var historyIndex: Int?
    private var typed = ""
    /// The result of the last action; the bar covers the hint line.
    private var remark: String?
    /// Why the text is rejected, until it changes.
    private var refusal: String?
    /// Whether the text may become a filter by further typing.
    private var isHalfTyped = false
    /// Whether Enter was pressed with the text as it is.
    private var wasTried = false

    /// The text without the space that another test is typed behind.
    private var text: String {
        var text = field.text[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// Whether nothing is wrong with the text so far.
    private var isIncomplete: Bool { error != nil && isHalfTyped && !wasTried }

    /// - Parameter refusal: Why the text was rejected before, or nil if it was not tried.
    init(text: String, memory: FilterMemory, refusal: String? = nil) {
        field = TextField(text)
        self.memory = memory
        self.refusal = refusal
    }

    var presentation: Presentation { .bottom(rows: 2 + shown.count) }

    private var suggestions: [FilterCompletion.Suggestion] {
        cycle?.suggestions ?? completion.suggestions(for: field.head, memory: memory)
    }

    /// The visible suggestions, including the inserted one.
    private var shown: ArraySlice<FilterCompletion.Suggestion> {
        let all = suggestions
        let start = max(0, (cycle?.index ?? 0) - FilterBar.suggestionCountMax + 1)
        return all.dropFirst(start).prefix(FilterBar.suggestionCountMax)
    }

    mutating func appear(_ context: Context) -> [Effect] {
        let counting = check(context)
        guard completion.values.isEmpty else { return counting }
        let work = Work("values", on: .counts) { context in
            var values: [String: [String]] = [:]
            for (field, column) in FilterCompletion.columns {
                values[field] = try context.rows.values(of: column)
            }
            return News.values(values)
        }
        return counting + [.work(work)]
    }

    // MARK: Typing

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        switch event {
        case .key(let key): return press(key, context)
        case .paste(let text):
            field.insert(text)
            return changed(context)
        case .mouse, .resize: return []
        }
    }

    private mutating func press(_ key: Key, _ context: Context) -> [Effect] {
        remark = nil
        refusal = nil
        wasTried = false
        switch key {
        case .escape:
            // An inserted suggestion is undone first.
            if let before = cycle?.before {
                field = before
                return changed(context)
            }
            return [.answer(Answer(memory: memory))]
        case .control("c"), .control("g"): return [.answer(Answer(memory: memory))]
        case .enter: return apply(context)
        case .tab, .control("n"): return complete(1, context)
        case .backtab, .control("p"): return complete(-1, context)
        case Key(.up): return recall(1, context)
        case Key(.down): return recall(-1, context)
        case .control("s"): return save()
        default: return field.handle(key) ? changed(context) : []
        }
    }

    private mutating func changed(_ context: Context) -> [Effect] {
        cycle = nil
        historyIndex = nil
        return check(context)
    }

    /// Parses the current text and starts counting its rows.
    private mutating func check(_ context: Context) -> [Effect] {
        count = .unknown
        do throws(FilterError) {
            let filter = try context.filter(text)
            error = nil
            return [.work(Work.counting(filter, FilterBar.countSlot).map { .counted($0) })]
        } catch {
            self.error = error
            isHalfTyped = canBeFinished(context)
            return [.cancelWork(slot: FilterBar.countSlot)]
        }
    }

    /// Whether the text lacks only its end, a closing sign or the rest of a suggested word.
    private func canBeFinished(_ context: Context) -> Bool {
        let suggested = completion.suggestions(for: text, memory: memory).prefix(
            FilterBar.suggestionCountMax
        ).map { String(text.dropLast($0.replacedCount)) + $0.text }
        let closed = FilterBar.closingSigns.map { text + $0 }
        return ([text] + closed + suggested).contains { text in
            do throws(FilterError) {
                _ = try context.filter(text)
                return true
            } catch {
                return error.column > text.unicodeScalars.count
            }
        }
    }

    private mutating func apply(_ context: Context) -> [Effect] {
        wasTried = true
        do throws(FilterError) {
            let filter = try context.filter(text)
            memory.remember(text)
            return [.answer(Answer(memory: memory, filter: filter))]
        } catch {
            self.error = error
            return []
        }
    }

    private mutating func save() -> [Effect] {
        guard !text.isEmpty else { return [] }
        guard FilterMemory.isKept(text) else {
            remark = "too long to be saved"
            return []
        }
        remark = memory.toggleSaved(text) ? "saved" : "no longer saved"
        return []
    }

    private mutating func complete(_ step: Int, _ context: Context) -> [Effect] {
        // The only suggestion was inserted: what follows it is completed next.
        if cycle?.suggestions.count == 1 { cycle = nil }
        let before = cycle?.before ?? field
        let all = suggestions
        guard !all.isEmpty else { return [] }
        let index = cycle.map { ($0.index + step + all.count) % all.count } ?? 0
        field = before
        field.replace(lastCount: all[index].replacedCount, by: all[index].text)
        cycle = (all, index, before)
        return check(context)
    }

    private mutating func recall(_ step: Int, _ context: Context) -> [Effect] {
        if historyIndex == nil { typed = field.text }
        let found = memory.history.reversed().filter { $0.hasPrefix(typed) && $0 != typed }
        let index = (historyIndex ?? -1) + step
        guard index < found.count else { return [] }
        cycle = nil
        historyIndex = index < 0 ? nil : index
        field.set(index < 0 ? typed : found[index])
        return check(context)
    }

    // MARK: News

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .values(let values): completion.values = values
        case .counted(let count): self.count = count
        }
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        // Without values, fields can still be completed.
        if slot == FilterBar.countSlot { remark = words }
        return []
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        let shown = shown
        let widest = shown.map { TerminalText.displayWidth($0.text) }.max() ?? 0
        // The meanings are in a separate column, unless a suggestion is very long.
        let kindColumn = 4 + min(widest, canvas.columns / 3)
        for (row, suggestion) in shown.enumerated() {
            let column = canvas.draw(suggestion.text, column: 2, row: row)
            let start = max(column + 2, kindColumn)
            canvas.draw(
                suggestion.kind, column: start, row: row, width: canvas.columns - start,
                Style(.dim))
            let isTaken = cycle.map { $0.suggestions[$0.index] == suggestion } ?? false
            canvas.tint(row: row, isTaken ? .selection : .bar)
        }
        let row = shown.count
        canvas.draw("/", row: row, Style(.accent).adding(.bold))
        field.draw(into: canvas, column: 1, row: row)
        drawState(canvas, row: row + 1)
    }

    private func drawState(_ canvas: Canvas, row: Int) {
        if let error, !isIncomplete {
            field.draw(error, into: canvas, column: 1, row: row)
            return
        }
        if let refusal {
            canvas.draw(" \(refusal)", row: row, Style(.bad))
            return
        }
        let keys = "  Enter applies  Esc back  C-u clears  Tab completes  Up recalls  C-s saves"
        let state = isIncomplete ? "…" : count.words ?? "… matches"
        let column = canvas.draw(" \(state)", row: row, Style(.good))
        guard let remark else {
            canvas.draw(keys, column: column, row: row, Style(.dim))
            return
        }
        canvas.draw("  \(remark)", column: column, row: row, Style(.good))
    }
}

struct FilterCompletion: Sendable, Hashable {
    struct Suggestion: Sendable, Hashable {
        /// The text that replaces the last characters of the word.
        let text: String
        let replacedCount: Int
        /// Its kind: a field's or operator's meaning, `saved`, `recent`, or the field of a value.
        let kind: String
    }

    var values: [String: [String]] = [:]

    /// The fields whose values are read, and the columns they come from.
    static let columns: [(field: String, column: SortColumn)] = [
        ("method", .method), ("host", .host), ("status", .status), ("type", .type),
        ("process", .process),
    ]

    /// Suggestions for the text before the cursor, the likeliest first.
    func suggestions(for head: String, memory: FilterMemory) -> [Suggestion] {
        if head.isEmpty { return FilterCompletion.remembered(memory) }
        let word = String(head.split(separator: " ", omittingEmptySubsequences: false).last ?? "")
        let bare = String(word.drop { $0 == "(" || $0 == "!" })
        guard !bare.isEmpty else { return [] }
        if bare.hasPrefix("@") { return FilterCompletion.named(bare, memory) }
        if !bare.hasPrefix("~"), let sign = bare.firstIndex(where: { ":=~<>".contains($0) }) {
            let field = bare[..<sign].lowercased().replacing("!", with: "")
            let typed = bare[sign...].drop { ":=~<>".contains($0) }
            return valueSuggestions(field, String(typed))
        }
        return FilterManual.completions(of: bare).map {
            Suggestion(text: $0.completion ?? bare, replacedCount: bare.count, kind: $0.meaning)
        }
    }

    private func valueSuggestions(_ field: String, _ typed: String) -> [Suggestion] {
        // Values seen in the store, then possible values.
        let seen = values[field] ?? []
        let known = seen + FilterManual.values(of: field).filter { !seen.contains($0) }
        let wanted = typed.lowercased()
        let found = known.filter { wanted.isEmpty || $0.lowercased().contains(wanted) }
        // Names that start with the word come before names that only contain it.
        let sorted =
            found.filter { $0.lowercased().hasPrefix(wanted) }
            + found.filter { !$0.lowercased().hasPrefix(wanted) }
        return sorted.filter { $0 != typed }.map {
            Suggestion(text: FilterCompletion.quoted($0), replacedCount: typed.count, kind: field)
        }
    }

    private static func remembered(_ memory: FilterMemory) -> [Suggestion] {
        let saved = memory.saved.map {
            Suggestion(text: $0.text, replacedCount: 0, kind: FilterCompletion.kind($0))
        }
        let texts = memory.saved.map(\.text)
        let recent = memory.history.reversed().filter { !texts.contains($0) }
        return saved + recent.map { Suggestion(text: $0, replacedCount: 0, kind: "recent") }
    }

    /// The saved filters whose names start with the text after the `@`.
    private static func named(_ word: String, _ memory: FilterMemory) -> [Suggestion] {
        let typed = word.dropFirst().lowercased()
        return memory.saved.filter { $0.name?.lowercased().hasPrefix(typed) == true }.map {
            Suggestion(text: $0.part, replacedCount: word.count, kind: kind($0))
        }
    }

    private static func kind(_ filter: SavedFilter) -> String {
        filter.name.map { "saved as \($0)" } ?? "saved"
    }

    /// A value in the syntax of the filter language.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.allSatisfy { $0.isLetter || $0.isNumber || "./-_+*".contains($0) }
        if isPlain { return value }
        let escaped = value.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        return "\"\(escaped)\""
    }
}
