# bash new-business.sh; needs SELLO_URL, EMAIL and PASSWORD of a new account, RUC of the business, P12 (path of its certificate) and P12_PASSWORD.
give_up() { echo "$*" >&2; exit 1; }
for name in SELLO_URL EMAIL PASSWORD RUC P12 P12_PASSWORD; do [ -n "${!name}" ] || give_up "$name is not set"; done
[ -r "$P12" ] || give_up "P12: $P12 cannot be read"
signed_in=()
# ask FIELD PATH [WHAT CURL TAKES]: one call, and this field of its answer. What is refused says why, and nothing comes after it.
ask() {
  answer=$(curl -sS -w '\n%{http_code}' "${signed_in[@]}" "$SELLO_URL$2" "${@:3}") || exit 1
  case ${answer##*$'\n'} in
    2??) printf %s "${answer%$'\n'*}" | node -pe "JSON.parse(require('fs').readFileSync(0))['$1']" ;;
    *) give_up "$answer" ;;
  esac
}
# A text as JSON writes it: passwords may hold any sign.
json() { node -pe 'JSON.stringify(process.argv[1])' -- "$1"; }
post() { ask "$1" "$2" -H 'Content-Type: application/json' -d "$3"; }

# A tenant, and somebody who owns it.
token=$(post access_token /auth/signup "{\"email\": $(json "$EMAIL"), \"password\": $(json "$PASSWORD"), \"name\": \"Ana Ruiz\", \"tenant_name\": \"Comercial Andina\"}") || exit 1
signed_in=(-H "Authorization: Bearer $token")

# The business as the SRI knows it, and where it issues.
issuer=$(post id /issuers "{\"ruc\": \"$RUC\", \"razon_social\": \"Comercial Andina S.A.\", \"direccion_matriz\": \"Av. Amazonas N34-451, Quito\", \"obligado_contabilidad\": true}") || exit 1
establishment=$(post id "/issuers/$issuer/establishments" '{"code": "001", "name": "Matriz", "address": "Av. Amazonas N34-451, Quito"}') || exit 1
point=$(post id "/issuers/$issuer/establishments/$establishment/emission-points" '{"code": "001", "initial_sequential": 1}') || exit 1

# Its signing certificate: opened, checked, sealed; the password is forgotten.
ask status "/issuers/$issuer/certificates" -F "file=@$P12" --form-string "password=$P12_PASSWORD" || exit 1

# A key for the program that issues. It is shown this once.
key=$(post key /auth/api-keys '{"name": "Caja 1"}') || exit 1

echo "SELLO_API_KEY=$key ISSUER_ID=$issuer ESTABLISHMENT_ID=$establishment EMISSION_POINT_ID=$point"
