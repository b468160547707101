"""Writes the manual pages of programs, and one for each of their commands, into a folder.

usage: man-pages.py FOLDER DATE VERSION PROGRAM...

The programs describe themselves (--experimental-dump-help), so the pages cannot be outdated.
"""

import json
import pathlib
import subprocess
import sys


def escaped(text):
    """Text that troff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    for character, name in {"'": "\\(aq", "^": "\\(ha", "~": "\\(ti", "…": "\\&..."}.items():
        text = text.replace(character, name)
    return text


def paragraphs(text):
    """Text of several paragraphs; a line that could be a request is none."""
    lines = []
    for line in text.strip().splitlines():
        line = escaped(line.strip())
        if not line:
            lines.append(".PP")
        else:
            lines.append("\\&" + line if line[0] in ".'\\" else line)
    return lines


def spelled(name):
    return ("-" if name["kind"] in ("short", "longWithSingleDash") else "--") + name["name"]


def bold(text):
    return f"\\fB{escaped(text)}\\fR"


def label(argument):
    """An argument as it is written on a command line."""
    value = f"\\fI{escaped(argument.get('valueName') or '')}\\fR"
    if argument["kind"] == "positional":
        return value
    names = ", ".join(bold(spelled(name)) for name in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} {value}"


def in_synopsis(argument):
    value = f"\\fI{escaped(argument.get('valueName') or '')}\\fR"
    if argument["kind"] == "positional":
        text = value
    else:
        text = bold(spelled(argument["preferredName"]))
        if argument["kind"] == "option":
            text += f" {value}"
    if argument["isOptional"]:
        text = f"[{text}]"
    return text + ("..." if argument["isRepeating"] else "")


def description(argument):
    parts = [argument.get("abstract") or "", argument.get("discussion") or ""]
    default = argument.get("defaultValue")
    text = "\n\n".join(part for part in parts if part)
    if default and "(default:" not in text:
        text += f" (default: {default})"
    return text


def shown(items):
    return [item for item in items or [] if item.get("shouldDisplay", True)]


class Pages:
    def __init__(self, folder, date, version):
        self.folder, self.date, self.version = folder, date, version

    def write(self, command, parents):
        words = parents + [command["commandName"]]
        # Every program has a command "help" that is not worth a page, unless it is the program's own.
        commands = {
            child["commandName"]: child for child in shown(command.get("subcommands"))
            if child.get("abstract") != "Show subcommand help information."
        }
        name = "-".join(words)
        lines = [
            f'.TH "{escaped(name.upper())}" 1 "{self.date}" "{words[0]} {self.version}" '
            '"User Commands"',
            ".SH NAME",
            f"{escaped(name)} \\- {escaped((command.get('abstract') or name).strip().rstrip('.'))}",
            *self.synopsis(command, words, commands),
        ]
        if command.get("discussion"):
            lines += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
        arguments = shown(command.get("arguments"))
        if arguments:
            lines.append(".SH OPTIONS")
            for argument in arguments:
                lines += [".TP", label(argument)]
                lines += paragraphs(description(argument)) or ["\\&"]
        if commands:
            lines.append(".SH COMMANDS")
            for child in commands.values():
                lines += [".TP", f"\\fB{escaped('-'.join(words + [child['commandName']]))}\\fR(1)"]
                lines += paragraphs(child.get("abstract") or "") or ["\\&"]
        lines += self.see_also(words)
        (self.folder / f"{name}.1").write_text("\n".join(lines) + "\n", encoding="utf-8")
        for child in commands.values():
            self.write(child, words)

    @staticmethod
    def synopsis(command, words, commands):
        lines = [".SH SYNOPSIS"]
        usage = [bold(" ".join(words))]
        usage += [in_synopsis(a) for a in shown(command.get("arguments"))]
        lines.append(" ".join(usage))
        if commands:
            lines += [".br", f"{bold(' '.join(words))} \\fIcommand\\fR ..."]
        return lines

    @staticmethod
    def see_also(words):
        others = [p for p in ("proxyd", "proxyctl", "proxyship") if p != words[0]]
        if len(words) > 1:
            others.insert(0, "-".join(words[:-1]))
        return [".SH SEE ALSO", ", ".join(f"{bold(name)}(1)" for name in others)]


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    pages = Pages(folder, sys.argv[2], sys.argv[3])
    for program in sys.argv[4:]:
        text = subprocess.run(
            [program, "--experimental-dump-help"], check=True, stdout=subprocess.PIPE, timeout=60)
        pages.write(json.loads(text.stdout)["command"], [])


main()
