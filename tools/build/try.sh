#!/usr/bin/env bash
# Installs the packages in FOLDER for Linux on x64 into clean folders, by npm and by pip, and adds search to a site by each.
#
#   tools/build/try.sh FOLDER
set -euo pipefail
packages="$(realpath "$1")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# site COMMAND...: adds search to a new site, and searches it.
site() {
    mkdir _site
    printf '<!doctype html><html lang="en"><head><title>Tea</title></head><body><header></header><main><h1>Tea</h1><p>%s</p></main></body></html>' \
        'Green tea is steeped at 80 degrees.' >_site/tea.html
    "$@" site _site
    grep -q '<script' _site/tea.html
    "$@" search _site/site.ibid "how hot is green tea" | grep '80 degrees'
}

mkdir "$work/npm" && cd "$work/npm"
echo '{ "private": true }' >package.json
npm install --silent --no-audit --no-fund "$packages"/ibid-{cli-linux-x64,model-en}-[0-9]*.tgz "$packages"/ibid-[0-9]*.tgz
site npx --no-install ibid

mkdir "$work/pip" && cd "$work/pip"
python3 -m venv python
python/bin/pip install --quiet --no-index --find-links "$packages" ibid-cli ibid-model-en
site python/bin/ibid
